/** Another program that signs people in through the embedded identity service, e.g. a second installation. */
export interface IdentityClientsTable {
  client_id: string;
  name: string;
  secret_sealed: string;
  /** JSON list of addresses. */
  redirect_uris: string;
  created_at: number;
}
