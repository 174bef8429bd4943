/** What somebody has reported about an address of this installation. It outlives what it is about. */
export interface AbuseReportsTable {
  id: string;
  /** As reported, with its scheme. */
  address: string;
  kind: 'phishing' | 'malware' | 'illegal' | 'copyright' | 'spam' | 'other';
  description: string;
  /** Of whoever reported it, where they want an answer. */
  email: string | null;
  /** What the address led to when it was reported; null for what led nowhere. */
  organization_id: string | null;
  site_id: string | null;
  version_id: string | null;
  created_at: number;
  /** Null while nobody has decided. */
  closed_at: number | null;
  outcome: 'suspended' | 'dismissed' | null;
  /** Of the operator: the reason of the suspension, or why nothing was done. */
  note: string | null;
  closed_by: string | null;
}
