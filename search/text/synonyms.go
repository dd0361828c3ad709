package text

import "strings"

// synonymGroups are words that people and tools use for one another when they
// talk about what software does: one group a line, general English only, no
// product names. A word may stand in several groups; the relation does not
// carry over from one group to the next.
const synonymGroups = `
	create add new make insert
	delete remove erase drop clear purge discard
	list show display view
	get fetch retrieve read show view
	find search lookup locate query
	update edit modify change alter set
	send post publish submit
	start run launch execute trigger begin
	stop halt terminate kill end cancel
	disable deactivate suspend
	enable activate
	move transfer relocate
	copy duplicate clone
	upload import attach
	download export
	open navigate visit browse
	assign allocate
	convert transform
	compute calculate evaluate
	schedule book reserve plan
	buy purchase order
	pay payment charge
	check verify validate
	approve accept confirm
	reject decline deny
	merge combine join
	compare diff difference
	summarize summary overview
	reply respond answer
	tag label
	restrict restriction limit permission
	access permission
	grant allow permit
	undo revert restore rollback
	archive close complete finish
	queue enqueue
	history timeline changelog
	recommend suggest recommendation
	analyze analysis examine
	generate create produce
	draw plot render
	write compose draft
	monitor watch track
	email mail message
	picture image photo
	movie film
	song track music
	website site webpage page
	link url
	repo repository
	doc document
	folder directory
	issue ticket bug
	task todo
	meeting event appointment
	user member person people
	person contact
	employee staff worker
	customer client
	company business organization org
	spreadsheet sheet workbook
	chart graph plot diagram
	price cost
	invoice bill
	currency money
	stock share
	forecast weather
	location place address
	near nearby
	news article headline
	job position vacancy
	restaurant dining
	recipe cook
	hotel accommodation lodging
	flight airline
	trip travel tour
	error exception failure
	alert alarm notification
	password credential secret
	chat conversation
	comment note
	video clip
	audio sound voice
	db database
	config configuration setting
	app application
	info information detail
	auth authentication login signin
	admin administrator
	env environment
	dir directory
	msg message
	img image
	stat statistic metric
	lyrics song
	quote quotation
	joke fun
	course lesson class
	medicine drug medication
	illness disease
	lawyer attorney legal
	house home property
	car vehicle
	phone telephone
	text sms message
	gift present
	advert advertisement ad
	workout exercise fitness
	package parcel shipment delivery
	courier carrier
	schedule calendar agenda diary timetable
	holiday vacation leave absence
	turn switch toggle
	light lamp bulb
	discard trash spam junk
	capture screenshot snapshot
	transcribe transcript transcription
	drive route direction
	stay hotel room
	temperature heating thermostat climate
	receipt expense
	salary payslip payroll wage
	subscription plan
	discount coupon promo
	free available availability
	member collaborator participant attendee
	bug defect
	commit revision
	retry rerun
	build compile
	outage downtime incident
	silence mute snooze
	scale resize replica
	cash money fund
	loan credit
	debt owe due
	luggage baggage
	cab taxi
	shop store
	sick illness
	hire recruit candidate applicant
	rent rental lease
	buyer customer
	seller vendor supplier
	pollen allergy
	sunrise sunset
	gate door
	electricity energy power
	speed velocity
	size dimension
	sum total
	trend trending popular
	increase raise grow scale
	decrease reduce lower shrink
	fix repair resolve
	enroll register signup
	unsubscribe optout
	freeze lock
	escalate raise
	acknowledge ack
	reschedule postpone move
	extend renew prolong
	expire expiry expiration
	print printer
	sign signature
	attachment file
	folder label
	invitation invite
	attendee guest
	shift roster rota
	overtime hours timesheet
	vacancy opening
	supervisor boss
	reimburse reimbursement expense
	transfer wire remit
	withdraw withdrawal
	earnings revenue income turnover
	spend spending expense
	overdue late outstanding
	tax vat
	quote estimate
	delay delayed late
	refund reimbursement chargeback
	track tracking
	pickup collect collection
	stock inventory quantity
	replenish restock reorder
	defect fault
	maintenance servicing upkeep
	slow latency performance
	crash crashed failure
	broken fail failed failure
	health status
	secret key token
	vulnerability cve weakness
	permission role
	rule policy
	snapshot backup
	server host machine
	pod container
	instance vm machine
	metric graph
	log logs
	threshold limit
	duplicate copy dedupe
	paragraph section text
	headline title subject
	crop trim cut
	blur mask
	caption subtitle
	draft unsent
	survey poll questionnaire form
	vote poll
	blind shade curtain shutter
	vacuum hoover clean
	garage gate
	warm heat heating
	cool cooling
	dim brightness
	doctor physician
	appointment visit
	prescription medication
	pulse heart
	homework assignment
	grade mark score
	teacher instructor
	train rail
	station stop
	departure timetable
	venue place
	concert event gig
	dish meal recipe
	grocery groceries shopping
	apartment flat
	tenant renter
	total amount
	team squad
	reminder remind alarm
	timer countdown
	countersign approve
	thread conversation
	reaction emoji react
	pinned pin
	kick remove
	sketch draw
	explain describe
	owner responsible
	branch fork
	pr pull
	ci pipeline
	ship release deploy
	patch fix
	schema structure column
	row record
	row entry
	table dataset
	statement query
	kill terminate
	count number many
	average mean
	map location
	walk step`

var synonyms = groupStems(synonymGroups)

func groupStems(list string) map[string][]string {
	m := map[string][]string{}
	for _, line := range strings.Split(list, "\n") {
		group := strings.Fields(line)
		for i := range group {
			group[i] = Stem(group[i])
		}
		for _, a := range group {
			for _, b := range group {
				if a != b && !contains(m[a], b) {
					m[a] = append(m[a], b)
				}
			}
		}
	}
	return m
}

// Synonyms returns other stems that stand for the same in talk about software.
// The caller must not change the slice.
func Synonyms(stem string) []string { return synonyms[stem] }
