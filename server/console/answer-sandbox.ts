import { z } from 'zod';
import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import { BODY_BYTES_MAX } from '../http/bodies/body-limits.ts';
import { parseJson } from '../http/bodies/parse-json.ts';
import { readBodyBytes } from '../http/bodies/read-body.ts';
import { methodNotAllowed } from '../http/requests/method-not-allowed.ts';
import type { RequestInfo } from '../http/requests/request-info.ts';
import { addressKey } from '../limits/rate-limits.ts';
import type { Sandbox } from '../payments/sandbox/sandbox.ts';
import { SANDBOX_KEYS } from '../payments/sandbox/sandbox-keys.ts';
import { answerSandboxInvoice } from './sandbox-invoice-page.ts';
import { getStripeStandIn } from './stripe-stand-in.ts';

const SETUP_PATH = /^\/_sandbox\/setup-intents\/(seti_\w{1,60})(\/confirm)?$/;
/** The stand-in of Stripe.js; served only when the sandbox is on. */
const SCRIPT_PATH = '/_sandbox/stripe.js';
const INVOICE_PATH = /^\/_sandbox\/invoices\/(in_\w{1,60})$/;

/** What a card form sends: a test card, or the response to an authentication request. */
const confirmInput = z.object({
  client_secret: z.string().max(200),
  number: z.string().max(30).optional(),
  exp_month: z.number().int().optional(),
  exp_year: z.number().int().optional(),
  authentication: z.enum(['complete', 'refuse']).optional(),
});

/**
 * Answers the browser's requests to the payment sandbox: the script of its card form, the confirmation of a
 * setup with a test card in the provider's own JSON, and the page of an invoice. Without the sandbox, nothing
 * is here.
 */
export async function answerSandbox(app: App, request: Request, info: RequestInfo): Promise<Response | null> {
  const sandbox = app.payments?.mode === 'sandbox' ? (await app.payments.open()).sandbox : null;
  if (!sandbox) return null;
  await app.rateLimits.consume('sandbox_address', addressKey(info.address));
  const { pathname, searchParams } = new URL(request.url);
  const invoice = INVOICE_PATH.exec(pathname)?.[1];
  if (pathname === SCRIPT_PATH) return answerScript(app, request);
  if (invoice !== undefined) return answerSandboxInvoice(app, sandbox, request, invoice);
  const [, id, confirm] = SETUP_PATH.exec(pathname) ?? [];
  if (id === undefined) throw new AppError('not_found');
  if (confirm === undefined) {
    if (request.method !== 'GET') throw methodNotAllowed('GET');
    const query = new URLSearchParams({ client_secret: searchParams.get('client_secret') ?? '' });
    return ask(sandbox, 'GET', `/v1/setup_intents/${id}?${query}`);
  }
  if (request.method !== 'POST') throw methodNotAllowed('POST');
  const typed = confirmInput.parse(parseJson(await readBodyBytes(request, BODY_BYTES_MAX.sandbox)));
  return ask(sandbox, 'POST', `/v1/setup_intents/${id}/confirm`, toForm(typed));
}

async function answerScript(app: App, request: Request): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed('GET', 'HEAD');
  return new Response(await getStripeStandIn(app.config.development), {
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
    },
  });
}

function toForm({
  client_secret,
  number,
  exp_month,
  exp_year,
  authentication,
}: z.infer<typeof confirmInput>) {
  const form = new URLSearchParams({ client_secret });
  const card = { number, exp_month, exp_year };
  for (const [name, value] of Object.entries(card)) {
    if (value !== undefined) form.set(`payment_method_data[card][${name}]`, String(value));
  }
  if (authentication !== undefined) form.set('sandbox_authentication', authentication);
  return form;
}

/** Calls the sandbox as a browser does: with the publishable key. */
async function ask(
  sandbox: Sandbox,
  method: string,
  path: string,
  form?: URLSearchParams,
): Promise<Response> {
  const response = await sandbox.fetch(`https://api.stripe.com${path}`, {
    method,
    headers: { authorization: `Bearer ${SANDBOX_KEYS.publishableKey}` },
    ...(form ? { body: form.toString() } : {}),
  });
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return new Response(await response.text(), { status: response.status, headers });
}
