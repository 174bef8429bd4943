/** A TXT value that the DNS role serves for `{dns_challenge_id}.{ACME_ZONE}`; a name may have several. */
export interface ChallengeValuesTable {
  dns_challenge_id: string;
  value: string;
  created_at: number;
}
