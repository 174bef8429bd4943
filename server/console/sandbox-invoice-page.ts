import { z } from 'zod';
import type { App } from '../context.ts';
import { AppError } from '../errors.ts';
import { BODY_BYTES_MAX } from '../http/bodies/body-limits.ts';
import { readBodyBytes } from '../http/bodies/read-body.ts';
import { detectLanguage } from '../http/requests/detect-language.ts';
import { methodNotAllowed } from '../http/requests/method-not-allowed.ts';
import type { Sandbox } from '../payments/sandbox/sandbox.ts';
import { SANDBOX_KEYS } from '../payments/sandbox/sandbox-keys.ts';
import { escapeHtml } from '../services/mail/mail-text.ts';

const WORDS = {
  'en-CA': {
    title: 'Invoice',
    sandbox: 'Sandbox: no money moves.',
    due: 'Amount due',
    pay: 'Pay with the card on file',
    status: { draft: 'Draft', open: 'Open', paid: 'Paid', void: 'Void', uncollectible: 'Open' },
    failed: 'The card was declined. Add another one in the console.',
  },
  'fr-CA': {
    title: 'Facture',
    sandbox: 'Bac à sable\u00a0: aucun argent ne circule.',
    due: 'Montant à payer',
    pay: 'Payer avec la carte enregistrée',
    status: {
      draft: 'Provisoire',
      open: 'À payer',
      paid: 'Payée',
      void: 'Annulée',
      uncollectible: 'À payer',
    },
    failed: 'La carte a été refusée. Ajoutez-en une autre dans la console.',
  },
} as const;

/** What the page reads from the sandbox's own responses. */
const invoiceSchema = z.object({
  id: z.string(),
  number: z.string().nullable(),
  status: z.enum(['draft', 'open', 'paid', 'void', 'uncollectible']),
  amount_due: z.number(),
  customer: z.string(),
  lines: z.object({ data: z.array(z.object({ description: z.string().nullable(), amount: z.number() })) }),
});
const customerSchema = z.object({
  invoice_settings: z.object({ default_payment_method: z.string().nullable() }),
});

/**
 * The sandbox's page of an invoice: anyone with its address can see and pay it, as with the real provider.
 */
export async function answerSandboxInvoice(
  app: App,
  sandbox: Sandbox,
  request: Request,
  id: string,
): Promise<Response> {
  const language = detectLanguage({
    preference: null,
    cookie: undefined,
    acceptLanguage: request.headers.get('accept-language'),
  });
  let isFailed = false;
  if (request.method === 'POST') {
    await readBodyBytes(request, BODY_BYTES_MAX.sandbox);
    isFailed = !(await pay(sandbox, id));
  } else if (request.method !== 'GET' && request.method !== 'HEAD')
    throw methodNotAllowed('GET', 'HEAD', 'POST');
  const invoice = invoiceSchema.parse(await read(sandbox, `/v1/invoices/${id}`));
  const html = renderPage(invoice, { language, product: app.config.productName, isFailed });
  return new Response(html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    },
  });
}

/** Pays while the card's holder is present. */
async function pay(sandbox: Sandbox, id: string): Promise<boolean> {
  const { customer } = invoiceSchema.parse(await read(sandbox, `/v1/invoices/${id}`));
  const { invoice_settings } = customerSchema.parse(await read(sandbox, `/v1/customers/${customer}`));
  const form = new URLSearchParams({
    payment_method: invoice_settings.default_payment_method ?? '',
    sandbox_authentication: 'complete',
  });
  const response = await ask(sandbox, `/v1/invoices/${id}/pay`, form);
  return response.ok;
}

async function read(sandbox: Sandbox, path: string): Promise<unknown> {
  const response = await ask(sandbox, path);
  if (!response.ok) throw new AppError('not_found');
  return response.json();
}

function ask(sandbox: Sandbox, path: string, form?: URLSearchParams): Promise<Response> {
  return sandbox.fetch(`https://api.stripe.com${path}`, {
    method: form ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${SANDBOX_KEYS.secretKey}` },
    ...(form ? { body: form.toString() } : {}),
  });
}

type Invoice = z.infer<typeof invoiceSchema>;

function renderPage(
  invoice: Invoice,
  { language, product, isFailed }: { language: keyof typeof WORDS; product: string; isFailed: boolean },
): string {
  const words = WORDS[language];
  const money = (cents: number) =>
    new Intl.NumberFormat(language, { style: 'currency', currency: 'CAD' }).format(cents / 100);
  const title = `${words.title} ${invoice.number ?? ''}`.trim();
  const rows = invoice.lines.data.map(
    ({ description, amount }) =>
      `<tr><td>${escapeHtml(description ?? '')}</td><td>${money(amount)}</td></tr>`,
  );
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${escapeHtml(title)} · ${escapeHtml(product)}</title>
<meta name="viewport" content="width=device-width"><style>body{font:16px/1.5 system-ui;max-width:40rem;margin:3rem auto;padding:0 1rem}
table{width:100%;border-collapse:collapse}td{padding:.4rem 0;border-bottom:1px solid #ddd}td+td{text-align:right}
.sandbox{background:#fff3bf;padding:.5rem 1rem;border-radius:.5rem}button{font:inherit;padding:.6rem 1rem}</style></head>
<body><p class="sandbox">${words.sandbox}</p><h1>${escapeHtml(title)}</h1><p>${words.status[invoice.status]}</p>
<table>${rows.join('')}<tr><td><b>${words.due}</b></td><td><b>${money(invoice.amount_due)}</b></td></tr></table>
${isFailed ? `<p role="alert">${words.failed}</p>` : ''}${
  invoice.status === 'open' ? `<form method="post"><p><button>${words.pay}</button></p></form>` : ''
}</body></html>`;
}
