/** The policies an operator publishes. */
const LEGAL_DOCUMENTS = ['terms', 'privacy', 'acceptable-use'] as const;

export type LegalDocument = (typeof LEGAL_DOCUMENTS)[number];

export function isLegalDocument(name: string): name is LegalDocument {
  return LEGAL_DOCUMENTS.some((document) => document === name);
}
