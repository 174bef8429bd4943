/** Something that a payment provider would keep, as JSON in the provider's own form. */
export interface SandboxObjectsTable {
  id: string;
  kind: string;
  /** What it belongs to, mostly a customer. */
  parent: string;
  body: string;
  /** In the order in which they were made. */
  sequence: string;
  created_at: number;
  /** Of an event: when it is delivered next. Null for everything else. */
  due_at: number | null;
}
