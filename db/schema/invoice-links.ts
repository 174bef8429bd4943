/** A link with which anyone can open one invoice. */
export interface InvoiceLinksTable {
  organization_id: string;
  /** SHA-256 of the token, in hex. */
  token_hash: string;
  invoice_id: string;
  created_at: number;
  expires_at: number;
}
