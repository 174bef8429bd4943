import type { LinkedInvoice } from '#server/services/billing/invoices/schema.ts';
import { loadErrorWords } from '../../../i18n/errors/error-words.ts';

/** Answers of the calls about the invoice of a link. */
interface Answers {
  open: LinkedInvoice;
  pay: { url: string };
}

/**
 * Asks for the invoice of a link, or for the page on which it is paid. The token travels in a body, since addresses are written to logs.
 * @throws ApiError for a refusal, TypeError when the network failed
 */
export async function askInvoiceLink<Call extends keyof Answers>(
  call: Call,
  token: string,
): Promise<Answers[Call]> {
  return (await send(call, { token })).json();
}

/** Returns the invoice of a link as PDF. */
export async function fetchLinkedPdf(token: string, language: string): Promise<Response> {
  return send('pdf', { token, language });
}

async function send(call: string, body: Record<string, string>): Promise<Response> {
  const response = await fetch(`/api/v1/invoice-links/${call}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.ok) return response;
  // The code that reads a refusal is loaded only when there is one.
  const [{ toApiError }] = await Promise.all([
    import('../../deployments/upload/send-upload.ts'),
    loadErrorWords(),
  ]);
  throw toApiError(await response.text());
}
