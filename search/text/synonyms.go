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
	walk step
	money balance fund
	bug issue error problem
	ticket issue request case
	message chat conversation
	chat channel dm
	talk conversation discuss
	notify notification alert inform
	warn warning alert
	ping notify mention
	draw generate paint illustrate
	picture illustration artwork drawing
	speed fast performance optimize
	lookup index
	slow optimize
	owe unpaid outstanding overdue
	unpaid outstanding
	rid delete remove
	throw delete discard
	wipe erase clear delete
	hang stuck frozen hung
	stuck blocked deadlock
	abort cancel kill
	shut stop close
	shutdown stop terminate
	boot start
	reboot restart
	bounce restart
	jot note write
	save store
	stash save
	backup copy snapshot
	grab get fetch download
	rename title name
	relabel rename
	tweak adjust change
	adjust set change
	configure set setup
	swap replace exchange
	substitute replace
	star favorite bookmark
	hide hidden invisible
	delegate assign
	invite add
	join participate
	kick remove ban
	ban block
	mute silence
	boss manager supervisor lead
	chief head manager
	colleague coworker teammate employee
	hierarchy org chart
	leave timeoff
	pto leave vacation
	hour timesheet
	wage salary
	payslip payroll
	interviewer interview candidate
	cv resume
	onboard hire
	oncall rotation
	pager page alert
	downtime outage
	graph chart plot
	dashboard panel
	spike increase peak
	rollout deploy release
	rollback revert undo
	merge combine
	diff change
	patch diff
	review approve comment
	reviewer approver
	lint check
	secret credential password
	login signin session
	logout signout
	signup register
	certificate ssl tls
	encrypt protect
	hack attack breach
	virus malware
	exploit vulnerability
	firewall rule
	port endpoint
	url endpoint
	host node
	vm instance
	node machine
	scale capacity
	disk storage volume
	scan ocr
	pdf document
	slide presentation deck
	worksheet sheet
	cell range
	formula function
	column field
	table grid
	paragraph text
	style format
	translate translation
	spell grammar proofread
	shorten summarize
	tldr summary
	gist summary snippet
	digest summary
	outline structure
	wiki knowledge
	manual guide documentation
	guide tutorial
	tutorial course lesson
	faq question
	form questionnaire
	feedback review
	follower subscriber
	tweet post
	thread discussion
	forum board
	podcast episode
	episode show series
	tune song
	playlist mix
	singer artist
	band artist
	louder volume
	quieter volume
	lamp light
	lights lighting light
	lighting light
	plug outlet socket
	thermostat temperature heating
	hot warm temperature
	cold cool temperature
	hoover vacuum
	lock secure
	alarm security
	doorbell camera
	blinds shade cover
	groceries shopping
	buy order checkout
	checkout cart
	basket cart
	delivery shipping
	parcel package
	return refund
	cheap price
	cheapest price lowest
	expensive price
	deal discount offer
	voucher coupon
	receipt invoice
	bill charge
	subscription membership
	plane flight
	fly flight
	ride taxi car
	cab ride
	car rental
	hotel room
	stay accommodation
	luggage bag
	itinerary trip
	sight attraction
	museum attraction
	directions route navigation
	navigate route
	distance far
	traffic congestion
	commute route
	train railway
	rain weather forecast
	snow weather
	umbrella rain
	sunny weather
	temperature weather
	storm weather
	doctor appointment
	dentist doctor
	pill medication
	symptom condition
	allergy condition
	vaccine immunization
	lab laboratory
	steps activity
	calories nutrition
	diet nutrition meal
	eat meal food
	hungry food
	dinner meal
	lunch meal
	cook recipe
	bake recipe
	stock ticker quote
	share stock
	crypto coin
	bitcoin crypto
	fx currency
	wire transfer
	savings account
	spend expense transaction
	spending transaction
	statement transaction
	mortgage loan
	deduct charge
	donation donate
	exam test quiz
	quiz test
	homework task
	grade result
	university school
	cite citation reference
	calendar event
	slot availability
	busy availability
	gap slot
	remind notify
	alarm reminder
	deadline due
	todo reminder
	chore task
	sprint iteration
	backlog queue
	epic initiative
	estimate point
	blocker dependency
	birthday contact
	dial call
	ring call
	phone call
	voicemail message
	letter mail
	inbox mail
	attachment document
	spam junk
	newsletter campaign
	deal sale
	customer account
	client account
	churn cancel
	kpi metric
	growth trend
	average statistic
	outlier anomaly
	predict forecast
	pet animal
	dog animal
	cat animal
	lawyer law
	sue legal
	contract agreement
	visa passport
	house property listing
	landlord tenant rent
	apartment listing
	job listing vacancy
	apply application
	wifi network
	internet network
	map route
	gps location
	nearest near closest
	closest near`

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
