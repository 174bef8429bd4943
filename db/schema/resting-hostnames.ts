/** A hostname whose endpoint was removed: until then only the same organization may take it again, with the same records. */
export interface RestingHostnamesTable {
  hostname: string;
  organization_id: string;
  cname_target: string;
  dns_challenge_id: string | null;
  until: number;
}
