/** What is counted about the requests of one host; every column is a sum. */
export interface UsageCounterColumns {
  /** On the wire, headers and bodies, without TLS. */
  bytes_sent: number;
  requests: number;
  cache_hits: number;
  cache_misses: number;
  status_2xx: number;
  status_3xx: number;
  status_4xx: number;
  status_5xx: number;
  /** Refused because the organization may not be served: not included in the others, and never billed. */
  refused_requests: number;
  refused_bytes: number;
}
