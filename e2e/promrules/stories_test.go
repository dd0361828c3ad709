package promrules

// stories are an hour of samples, one a minute, as Prometheus' tests write them: good times, and for each alert the times
// that it is for.
func stories() (good string, bad map[string]string) {
	good = `  up{job="mcp-toolsearch",instance="a"} 1x60
  mcp_toolsearch_build_info{job="mcp-toolsearch",instance="a",version="1"} 1x60
  mcp_toolsearch_decisions_total{instance="a",kind="answer",outcome="ok"} 0+600x60
  mcp_toolsearch_decisions_total{instance="a",kind="answer",outcome="fault"} 0+1x60
  mcp_toolsearch_faults_total{instance="a",reason="invalid_json"} 0+1x60
  mcp_toolsearch_refusals_total{instance="a",reason="wrong_door"} 0+1x60
  mcp_toolsearch_refusals_total{instance="a",reason="catalog_unavailable"} 0x60
  mcp_toolsearch_catalog_listings_total{instance="a",outcome="ok"} 0+10x60
  mcp_toolsearch_catalog_listings_total{instance="a",outcome="timed_out"} 0x60
  mcp_toolsearch_catalog_listings_total{instance="a",outcome="auth"} 0+5x60
  mcp_toolsearch_catalog_listings_total{instance="a",outcome="loop"} 0x60
  mcp_toolsearch_catalog_oldest_seconds{instance="a"} 300x60
  mcp_toolsearch_searches_total{instance="a",result="hits"} 0+100x60
  mcp_toolsearch_searches_total{instance="a",result="empty"} 0+2x60
  mcp_toolsearch_searches_followed_total{instance="a",position="1"} 0+60x60
  mcp_toolsearch_decision_duration_seconds_bucket{instance="a",kind="answer",le="0.25"} 0+590x60
  mcp_toolsearch_decision_duration_seconds_bucket{instance="a",kind="answer",le="1"} 0+600x60
  mcp_toolsearch_decision_duration_seconds_bucket{instance="a",kind="answer",le="+Inf"} 0+600x60
  mcp_toolsearch_extproc_streams_total{instance="a",outcome="done"} 0+600x60
  mcp_toolsearch_extproc_streams_total{instance="a",outcome="error"} 0x60
  mcp_toolsearch_relay_failures_total{instance="a",reason="upstream_unreachable"} 0x60
  mcp_toolsearch_limit_reached_total{instance="a",limit="requests"} 0x60
  mcp_toolsearch_catalog_evictions_total{instance="a"} 0x60
  mcp_toolsearch_server_up{instance="a",server="mail"} 1x60
  mcp_toolsearch_config_reloads_total{instance="a",outcome="refused"} 0x60
  mcp_toolsearch_memory_limit_bytes{instance="a"} 536870912x60
  process_resident_memory_bytes{instance="a"} 100000000x60
`
	return good, map[string]string{
		"ToolSearchDown": `  up{job="mcp-toolsearch",instance="a"} 0x60
`,
		"ToolSearchAllDown": `  up{job="other",instance="a"} 1x60
`,
		"ToolSearchFaults": `  mcp_toolsearch_decisions_total{instance="a",kind="answer",outcome="ok"} 0+60x60
  mcp_toolsearch_decisions_total{instance="a",kind="answer",outcome="fault"} 0+20x60
`,
		"ToolSearchCatalogUnavailable": `  mcp_toolsearch_refusals_total{instance="a",reason="catalog_unavailable"} 0+5x60
`,
		"ToolSearchListingsFail": `  mcp_toolsearch_catalog_listings_total{instance="a",outcome="ok"} 0+1x60
  mcp_toolsearch_catalog_listings_total{instance="a",outcome="timed_out"} 0+9x60
`,
		"ToolSearchLoop": `  mcp_toolsearch_catalog_listings_total{instance="a",outcome="loop"} 0+1x60
`,
		"ToolSearchCatalogOld": `  mcp_toolsearch_catalog_oldest_seconds{instance="a"} 2400x60
`,
		"ToolSearchSlow": `  mcp_toolsearch_decision_duration_seconds_bucket{instance="a",kind="answer",le="0.25"} 0+5x60
  mcp_toolsearch_decision_duration_seconds_bucket{instance="a",kind="answer",le="1"} 0+5x60
  mcp_toolsearch_decision_duration_seconds_bucket{instance="a",kind="answer",le="5"} 0+100x60
  mcp_toolsearch_decision_duration_seconds_bucket{instance="a",kind="answer",le="+Inf"} 0+100x60
`,
		"ToolSearchStreamsFail": `  mcp_toolsearch_extproc_streams_total{instance="a",outcome="done"} 0+50x60
  mcp_toolsearch_extproc_streams_total{instance="a",outcome="error"} 0+10x60
`,
		"ToolSearchRelayFails": `  mcp_toolsearch_relay_failures_total{instance="a",reason="upstream_unreachable"} 0+5x60
`,
		"ToolSearchLimitReached": `  mcp_toolsearch_limit_reached_total{instance="a",limit="requests"} 0+5x60
`,
		"ToolSearchEvictions": `  mcp_toolsearch_catalog_evictions_total{instance="a"} 0+30x60
`,
		"ToolSearchServerDown": `  mcp_toolsearch_server_up{instance="a",server="mail"} 0x60
`,
		"ToolSearchConfigRefused": `  mcp_toolsearch_config_reloads_total{instance="a",outcome="refused"} 0 0 1x58
`,
		"ToolSearchMemory": `  mcp_toolsearch_memory_limit_bytes{instance="a"} 536870912x60
  process_resident_memory_bytes{instance="a"} 520000000x60
`,
		"ToolSearchFindsNothing": `  mcp_toolsearch_searches_total{instance="a",result="hits"} 0+5x60
  mcp_toolsearch_searches_total{instance="a",result="empty"} 0+5x60
`,
	}
}
