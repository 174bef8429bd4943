/** Not secrets: they only work on the same machine, and the real provider rejects them. */
export const SANDBOX_KEYS = {
  secretKey: 'sk_sandbox_portage',
  publishableKey: 'pk_sandbox_portage',
  webhookSecrets: ['whsec_sandbox_portage'],
} as const;
