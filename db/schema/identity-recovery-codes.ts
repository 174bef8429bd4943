/** A code that stands in for the second factor once; the row goes with its use. */
export interface IdentityRecoveryCodesTable {
  /** Keyed hash of account and code: without the master key a copy of the table cannot be searched. */
  code_hash: string;
  account_number: number;
}
