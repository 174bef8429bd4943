/** No secrets: whatever has them runs on the same machine, and the real provider refuses them. */
export const SANDBOX_KEYS = {
  secretKey: 'sk_sandbox_portage',
  publishableKey: 'pk_sandbox_portage',
  webhookSecrets: ['whsec_sandbox_portage'],
} as const;
