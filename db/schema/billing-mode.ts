/** Which money: none at all, a provider's test mode, or real. Ids of one mode are never used in another. */
export type BillingMode = 'sandbox' | 'test' | 'live';
