/** A code that replaces the second factor once; using it deletes the row. */
export interface IdentityRecoveryCodesTable {
  /** Keyed hash of account and code: without the master key a copy of the table cannot be searched. */
  code_hash: string;
  account_number: number;
}
