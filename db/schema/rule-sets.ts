/**
 * Parsed `_redirects` and `_headers`, stored once by hash for the whole installation; versions reference
 * them.
 */
export interface RuleSetsTable {
  /** Of both texts, see store-rule-set.ts. */
  sha256: string;
  /** JSON: parsed `_redirects` rules. */
  redirects: string;
  /** JSON: parsed `_headers` rules. */
  headers: string;
  /** Last time a seal referenced it; young ones are never collected. */
  touched_at: number;
}
