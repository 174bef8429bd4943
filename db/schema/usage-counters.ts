/** What is counted of the requests of one host; every column is a sum. */
export interface UsageCounterColumns {
  /** On the wire, heads and bodies; TLS is not in it. */
  bytes_sent: number;
  requests: number;
  cache_hits: number;
  cache_misses: number;
  status_2xx: number;
  status_3xx: number;
  status_4xx: number;
  status_5xx: number;
  /** Turned away because the organization may not be served: in none of the others, and never billed. */
  refused_requests: number;
  refused_bytes: number;
}
