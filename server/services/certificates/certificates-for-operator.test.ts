import { describe, expect, it } from 'vitest';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createIssuingApp } from '#tests/support/certificates/issuing-app.ts';
import { issueCertificateForOperator } from './issue-certificate-for-operator.ts';
import { listCertificatesForOperator } from './list-certificates-for-operator.ts';

describe('an operator', () => {
  it('sees which certificates have problems, the first to expire first, and nothing else', async () => {
    const { app, authority, person, addHostname } = await createIssuingApp();
    const operator = operatorContext(app);
    for (const hostname of ['fine.example.ca', 'late.example.ca', 'failing.example.ca']) {
      await addHostname(hostname);
    }
    authority.lifetimeMs = 10 * 86_400_000;
    await issueCertificateForOperator(operator, { domain_name: 'late.example.ca' });
    authority.lifetimeMs = 90 * 86_400_000;
    await issueCertificateForOperator(operator, { domain_name: 'fine.example.ca' });
    authority.validate = async () => 'Incorrect TXT record';
    const failing = issueCertificateForOperator(operator, { domain_name: 'failing.example.ca' });
    await expect(failing).rejects.toMatchObject({ code: 'certificate_failed' });
    app.clock.advance(9 * 86_400_000);
    const { platform, troubled } = await listCertificatesForOperator(operatorContext(app, 'read'));
    expect(platform).toEqual([]);
    expect(troubled).toMatchObject([
      { domain_name: 'late.example.ca', problem: null, organization_id: person.organization.id },
      { domain_name: 'failing.example.ca', problem: 'refused', detail: 'Incorrect TXT record', attempts: 1 },
    ]);
  });

  it('reissues a fresh certificate with another key', async () => {
    const { app, authority, addHostname, readBundle } = await createIssuingApp();
    const { bundleId } = await addHostname('www.example.ca');
    const issue = () => issueCertificateForOperator(operatorContext(app), { domain_name: 'WWW.example.ca' });
    await issue();
    const before = await readBundle(bundleId);
    expect(await issue()).toMatchObject({ domain_name: 'www.example.ca' });
    expect((await readBundle(bundleId)).serial_number).not.toBe(before.serial_number);
    expect(authority.opened).toBe(2);
  });

  it('is told when there is no such certificate; others may not ask', async () => {
    const { app, person } = await createIssuingApp();
    const name = { domain_name: 'nothing.example.ca' };
    await expect(issueCertificateForOperator(operatorContext(app), name)).rejects.toMatchObject({
      code: 'bundle_not_found',
    });
    for (const attempt of [
      () => issueCertificateForOperator(operatorContext(app, 'read'), name),
      () => issueCertificateForOperator(person.context, name),
      () => listCertificatesForOperator(person.context),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'operator_required' });
    }
  });
});
