/** Whose money: none at all, a provider's test mode, or real. Ids of one are never used in another. */
export type BillingMode = 'sandbox' | 'test' | 'live';
