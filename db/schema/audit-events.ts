/** Who did what to which resource; written in the transaction of the change itself. */
export interface AuditEventsTable {
  id: string;
  organization_id: string | null;
  at: number;
  actor_kind: 'person' | 'credential' | 'operator' | 'job' | 'anonymous';
  actor_id: string | null;
  actor_name: string;
  /** `subject.verb`, e.g. `site.create`. */
  action: string;
  resource_type: string;
  resource_id: string;
  /** JSON, without secrets. */
  before: string | null;
  after: string | null;
  address: string | null;
  request_id: string | null;
}
