/** The address and region of the service. */
export interface S3Settings {
  /** The hostname whose subdomains are buckets, without a port. */
  readonly domain: string;
  /** The only region. */
  readonly region: string;
  /** How clients reach it: a proxy in front may terminate TLS. */
  readonly scheme: 'http' | 'https';
  /** The console's own pages, which reach every bucket by signed addresses whatever its rules. */
  readonly consoleOrigin: string;
}
