package member

import (
	"context"
	"errors"

	"mcp-toolsearch/sidecar/wire"
)

var errNotYet = errors.New("member: not built yet")

func (s *Session) postToModern(ctx context.Context, msg *wire.Message) (*Answer, error) {
	return nil, errNotYet
}
func (s *Session) postToLegacy(ctx context.Context, msg *wire.Message) (*Answer, error) {
	return nil, errNotYet
}
func (s *Session) streamOfModern(ctx context.Context) (*Answer, error) { return nil, errNotYet }
func (s *Session) streamOfLegacy(ctx context.Context) (*Answer, error) { return nil, errNotYet }
