/** A report about an address of this installation. It outlives its subject. */
export interface AbuseReportsTable {
  id: string;
  /** As reported, with its scheme. */
  address: string;
  kind: 'phishing' | 'malware' | 'illegal' | 'copyright' | 'spam' | 'other';
  description: string;
  /** Of the reporter, if they want a response. */
  email: string | null;
  /** What the address led to when it was reported; null when it led nowhere. */
  organization_id: string | null;
  site_id: string | null;
  version_id: string | null;
  created_at: number;
  /** Null until an operator has decided. */
  closed_at: number | null;
  outcome: 'suspended' | 'dismissed' | null;
  /** By the operator: the reason for the suspension, or why nothing was done. */
  note: string | null;
  closed_by: string | null;
}
