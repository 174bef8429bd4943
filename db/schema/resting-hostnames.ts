/**
 * A hostname whose endpoint was removed: until the given time, only the same organization may use it again,
 * with the same records.
 */
export interface RestingHostnamesTable {
  hostname: string;
  organization_id: string;
  cname_target: string;
  dns_challenge_id: string | null;
  until: number;
}
