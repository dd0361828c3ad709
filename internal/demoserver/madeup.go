package demoserver

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
)

// subjectsOf are what the objects of a made-up server are about.
func subjectsOf(server string) []string {
	switch server {
	case "postrider", "parley":
		return []string{"Offer for the harbour cranes", "Invoice 2026-0147", "Minutes of Tuesday", "Re: delivery on Friday", "Contract, second draft"}
	case "daybook", "peoplepad":
		return []string{"Weekly planning", "Interview with a candidate", "Budget talk", "Review of the quarter", "Lunch with Nordwind"}
	case "tallyboard", "forkyard", "millrace":
		return []string{"Login page stays blank on old browsers", "Export is slow above 50,000 rows", "Retry budget is not kept", "Rename the settings page", "Flaky test in the cart"}
	case "quarrydb", "footfall":
		return []string{"orders", "customers", "products", "payments", "sessions"}
	case "rapportal", "coinlane", "billfold", "oakvault":
		return []string{"Nordwind", "Baltic Freight", "Girnos", "Aurora Foods", "Heron Law"}
	case "beaconwatch", "nightbell", "stowage":
		return []string{"checkout: error rate above 2 %", "disk of db-2 is 91 % full", "payments: p99 above 800 ms", "certificate ends in 9 days", "worker-3 not ready"}
	case "skylark", "mapmoss", "roamly", "parcelpath":
		return []string{"Vilnius", "Kaunas", "Klaipėda", "Riga", "Porto"}
	case "hearthhub":
		return []string{"living room lamp", "front door", "bedroom thermostat", "kitchen plug", "garden camera"}
	}
	return []string{"Backup procedure", "Code freeze in December", "Budget 2026", "Welcome guide", "Gate code"}
}

// picture is a small PNG in a colour of its own.
func picture(s uint64) []byte {
	img := image.NewRGBA(image.Rect(0, 0, 16, 12))
	fill := color.RGBA{R: uint8(s), G: uint8(s >> 8), B: uint8(s >> 16), A: 255}
	for y := range 12 {
		for x := range 16 {
			img.SetRGBA(x, y, fill)
		}
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		return nil // encoding into memory doesn't fail
	}
	return buf.Bytes()
}
