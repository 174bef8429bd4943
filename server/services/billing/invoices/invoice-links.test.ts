import { describe, expect, it } from 'vitest';
import { inTransaction } from '#db/transaction.ts';
import { DAY_MS } from '#server/durations.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { readMails } from '#tests/support/app/read-mails.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { SANDBOX_BILLING, TEST_CARDS } from '#tests/support/billing/billing.ts';
import {
  jobContext,
  makePayingOrganization,
  readProviderInvoices,
  runMonthEnd,
  travelTo,
} from '#tests/support/billing/billing-month.ts';
import { readPdf } from '#tests/support/read-pdf.ts';
import { deleteOrganization } from '../../organizations/delete-organization.ts';
import { updateBillingContact } from '../customers/update-billing-contact.ts';
import { getInvoice } from './get-invoice.ts';
import { createInvoiceLink } from './invoice-links.ts';
import { linkInvoice } from './link-invoice.ts';
import { listInvoicesForOperator } from './list-invoices-for-operator.ts';
import { exportLinkedInvoice, openLinkedInvoice, payLinkedInvoice } from './open-linked-invoice.ts';
import { resendInvoice } from './resend-invoice.ts';

const APRIL = Date.UTC(2026, 3, 1);
const MAIL = { MAIL_URL: 'smtp://127.0.0.1:2525', MAIL_FROM: 'no-reply@example.ca' };

/** An organization that existed in March and can be deleted at once. */
async function prepare(card: string = TEST_CARDS.works) {
  const app = await createTestApp({ environment: { ...SANDBOX_BILLING, ...MAIL } });
  const person = await createTestPerson(app);
  const paying = await makePayingOrganization(person, app.clock.now(), card);
  /** Its only site was deleted so long ago that it cannot be restored. */
  const leave = async () => {
    const values = { ended_at: app.clock.now() };
    await app.db.updateTable('resource_lifetimes').set(values).where('ended_at', 'is', null).execute();
    await deleteOrganization(paying.context);
  };
  const anyone = { ...jobContext(app), actor: { kind: 'anonymous' as const }, address: '203.0.113.7' };
  const operator = operatorContext(app);
  const tokens = async () =>
    (await readMails(app)).flatMap(({ text }) =>
      [...text.matchAll(/\/invoice#([\w-]+)/g)].map(([, found]) => found ?? ''),
    );
  return { app, person, paying, leave, anyone, operator, tokens };
}

describe('the last invoice of a deleted organization', () => {
  it('is mailed with a link, by which whoever has it reads it, saves it and pays it', async () => {
    const { app, paying, leave, anyone, tokens } = await prepare(TEST_CARDS.authenticates);
    await leave();
    travelTo(app, APRIL + DAY_MS);
    expect(await runMonthEnd(app)).toEqual([]);
    const mails = await readMails(app);
    expect(mails.map(({ recipient }) => recipient)).toEqual(['ada@example.ca', 'ada@example.ca']);
    expect(mails[1]?.text).toContain('Open the invoice and pay it there.');
    expect(mails[1]?.text).not.toContain(paying.id);
    for (const token of new Set(await tokens())) {
      expect(token).toHaveLength(43);
      expect(await openLinkedInvoice(anyone, { token })).toMatchObject({
        status: 'open',
        is_payable: true,
        total_cents: 300,
        buyer: { company: 'Analytical Engines' },
        hosted_invoice_url: null,
        payment_problem: 'authentication',
      });
    }
    const [token = ''] = await tokens();
    const { content, filename } = await exportLinkedInvoice(anyone, { token, language: 'fr-CA' });
    expect(filename).toMatch(/^invoice-2026-03-.+\.pdf$/);
    expect(readPdf(content).pages.join(' ')).toContain('Facture');
    expect((await payLinkedInvoice(anyone, { token })).url).toMatch(/\/_sandbox\/invoices\/in_\w+$/);
    await expect(getInvoice(paying.context, { invoice_id: 'any' })).rejects.toMatchObject({
      code: 'invoice_not_found',
    });
  });

  it('is charged to the card as ever, in the language that its people read', async () => {
    const { app, leave, anyone, tokens } = await prepare();
    await app.db.updateTable('users').set({ language_preference: 'fr-CA' }).execute();
    await leave();
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    expect(await readProviderInvoices(app)).toMatchObject([
      { status: 'paid', amount_paid: 300, lines: { data: [{ description: 'Sites actifs\u00a0: 1' }] } },
    ]);
    expect((await readMails(app)).map(({ languages }) => languages)).toEqual([['fr-CA']]);
    const [token = ''] = await tokens();
    expect(await openLinkedInvoice(anyone, { token })).toMatchObject({ status: 'paid', is_payable: false });
  });

  it('that was unpaid at the deletion is mailed again, with a link', async () => {
    const { app, leave, anyone, tokens } = await prepare(TEST_CARDS.declinesLater);
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    const before = await tokens();
    await leave();
    const [token = ''] = (await tokens()).filter((each) => !before.includes(each));
    expect(await openLinkedInvoice(anyone, { token })).toMatchObject({ payment_problem: 'declined' });
  });

  it('is opened by an operator’s link, without email too, and that is recorded', async () => {
    const { app, leave, anyone, operator } = await prepare();
    await leave();
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    const [listed] = await listInvoicesForOperator(operator, {});
    const { link, expires_at } = await linkInvoice(operator, { invoice_id: listed?.number ?? '' });
    expect(expires_at).toBe(new Date(APRIL + 91 * DAY_MS).toISOString());
    const [address = '', token = ''] = link.split('#');
    expect(address).toMatch(/\/invoice$/);
    expect(await openLinkedInvoice(anyone, { token })).toMatchObject({ id: listed?.id });
    await expect(linkInvoice(anyone, { invoice_id: listed?.id ?? '' })).rejects.toMatchObject({
      code: 'unauthenticated',
    });
    const actions = await app.db
      .selectFrom('audit_events')
      .select('action')
      .where('action', '=', 'invoice.link')
      .execute();
    expect(actions).toHaveLength(1);
  });
});

describe('the billing contact of an organization', () => {
  it('gets a link in each message if they are no member, and members get the page', async () => {
    const { app, person, paying, anyone, tokens } = await prepare(TEST_CARDS.declinesLater);
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    const mails = await readMails(app);
    const toContact = mails.filter(({ recipient }) => recipient === 'ada@example.ca');
    expect(mails.map(({ recipient }) => recipient)).toEqual(
      expect.arrayContaining(['ada@example.ca', person.user.email]),
    );
    for (const { text } of toContact) {
      expect(text).toContain('without signing in, for 90 days and for whoever has it');
      expect(text).not.toContain(paying.id);
    }
    expect(toContact.at(-1)?.text).toContain('ask an owner of the organization to add another card');
    expect(await tokens()).toHaveLength(2 * toContact.length);
    for (const token of await tokens()) {
      expect(await openLinkedInvoice(anyone, { token })).toMatchObject({ status: 'open', is_payable: true });
    }
    const toMember = mails.filter(({ recipient }) => recipient === person.user.email);
    for (const { text } of toMember) {
      expect(text).toContain(`/${paying.id}/billing/invoices/`);
      expect(text).not.toContain('/invoice#');
      expect(text).not.toContain('without signing in');
    }
  });

  it('gets the page if they are a member, however their address is written', async () => {
    const { app, person, paying, tokens } = await prepare();
    await updateBillingContact(paying.context, { billing_email: person.user.email.toUpperCase() });
    const values = { permission: 'read' as const };
    await app.db.updateTable('memberships').set(values).where('organization_id', '=', paying.id).execute();
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    const [mail] = await readMails(app);
    expect(mail?.recipient).toBe(person.user.email.toUpperCase());
    expect(mail?.text).toContain(`/${paying.id}/billing/invoices/`);
    expect(await tokens()).toEqual([]);
  });

  it('can open nothing any more once another address has replaced theirs', async () => {
    const { app, paying, anyone, operator, tokens } = await prepare(TEST_CARDS.declinesLater);
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    const before = await tokens();
    const [token = ''] = before;
    await updateBillingContact(paying.context, { billing_email: 'ADA@example.ca' });
    await openLinkedInvoice(anyone, { token });
    await updateBillingContact(paying.context, { billing_email: 'accounts@example.ca' });
    await expect(openLinkedInvoice(anyone, { token })).rejects.toMatchObject({
      code: 'invoice_link_invalid',
    });
    // The invoice itself is still addressed to the contact that it was made out to.
    const [listed] = await listInvoicesForOperator(operator, {});
    await resendInvoice(operator, { invoice_id: listed?.id ?? '' });
    expect((await readMails(app)).at(-1)?.recipient).toBe('ada@example.ca');
    expect(await tokens()).toEqual(before);
  });
});

describe('a link to an invoice', () => {
  it('works for 90 days, and is refused like an unknown one afterwards', async () => {
    const { app, leave, anyone, tokens } = await prepare();
    await leave();
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    const [token = ''] = await tokens();
    app.clock.advance(90 * DAY_MS - 1);
    await openLinkedInvoice(anyone, { token });
    app.clock.advance(1);
    const refused = { code: 'invoice_link_invalid', status: 404 };
    await expect(openLinkedInvoice(anyone, { token })).rejects.toMatchObject(refused);
    await expect(payLinkedInvoice(anyone, { token: 'x'.repeat(43) })).rejects.toMatchObject(refused);
  });

  it('is stored as a hash, and twenty of an invoice work at a time', async () => {
    const { app, leave, anyone } = await prepare();
    await leave();
    travelTo(app, APRIL + DAY_MS);
    await runMonthEnd(app);
    const row = await app.db.selectFrom('invoices').selectAll().executeTakeFirstOrThrow();
    const made: string[] = [];
    for (let count = 0; count < 22; count += 1) {
      const { link } = await inTransaction(app.db, (trx) => createInvoiceLink(trx, app, row));
      made.push(link.split('#')[1] ?? '');
      app.clock.advance(1);
    }
    const rows = await app.db.selectFrom('invoice_links').select('token_hash').execute();
    expect(rows).toHaveLength(20);
    expect(rows.some(({ token_hash }) => made.includes(token_hash))).toBe(false);
    await expect(openLinkedInvoice(anyone, { token: made[1] ?? '' })).rejects.toMatchObject({ status: 404 });
    await openLinkedInvoice(anyone, { token: made[2] ?? '' });
  });

  it('cannot be guessed in bulk', async () => {
    const { anyone } = await prepare();
    const guess = () => openLinkedInvoice(anyone, { token: 'guess' }).catch(({ code }) => code);
    const responses = [];
    for (let count = 0; count < 61; count += 1) responses.push(await guess());
    expect(responses.at(0)).toBe('invoice_link_invalid');
    expect(responses.at(-1)).toBe('too_many_requests');
  });
});
