/** An object that a payment provider would store, as JSON in the provider's own format. */
export interface SandboxObjectsTable {
  id: string;
  kind: string;
  /** Its parent, mostly a customer. */
  parent: string;
  body: string;
  /** In the order of creation. */
  sequence: string;
  created_at: number;
  /** For an event: when it is delivered next. Null for everything else. */
  due_at: number | null;
}
