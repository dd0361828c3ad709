package main

import "errors"

// batchDoorMistake says why batches can't go from Envoy to the HTTP door.
func (s *Settings) batchDoorMistake() error {
	switch {
	case !s.BatchDoor || s.local():
		return nil
	case s.listen() == "" || !s.extproc():
		return errors.New("--batch-door sends batches from Envoy to the HTTP door, so it needs both: set --listen, like 127.0.0.1:8092, and leave --extproc-listen on")
	case !s.Reroute:
		return errors.New("--batch-door needs a gateway that takes another route: leave it out, or --reroute=false")
	case s.TokenFile != "":
		return errors.New("--batch-door: Envoy carries the callers' own Authorization to the HTTP door, which must not ask for the token of --token-file: leave one of them out")
	}
	return nil
}
