import { Readable } from 'node:stream';
import { createBundle } from '../../services/certificates/create-bundle.ts';
import { getBundle } from '../../services/certificates/get-bundle.ts';
import { getDnsReport } from '../../services/certificates/get-dns-report.ts';
import { getRootCertificate } from '../../services/certificates/get-root-certificate.ts';
import { issueBundle } from '../../services/certificates/issue-bundle.ts';
import {
  bundleInput,
  bundleSchema,
  dnsReportSchema,
  endpointOfBundleInput,
} from '../../services/certificates/schema.ts';
import { validateBundle } from '../../services/certificates/validate-bundle.ts';
import { hashTag } from '../hash-tag.ts';
import { openRoute, organizationRoute, type Route } from '../route.ts';

const tag = 'Certificates';

export const certificateRoutes: Route[] = [
  organizationRoute(
    {
      method: 'POST',
      path: '/api/v1/cdn/endpoints/{endpoint_id}/bundle',
      id: 'createBundle',
      tag,
      summary: 'Create a certificate bundle for an endpoint that has none',
      description: 'Endpoints are created with one; those of an earlier release have none.',
      params: endpointOfBundleInput,
      success: { kind: 'json', status: 201, schema: bundleSchema },
      errors: ['endpoint_not_found', 'bundle_exists'],
      location: (bundle) => `/api/v1/bundles/${bundle.id}`,
    },
    ({ context, params }) => createBundle(context, params),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/bundles/{bundle_id}',
      id: 'getBundle',
      tag,
      summary: 'Get a certificate bundle',
      description:
        '`step` is the current step, `problem` says why the last attempt failed and `next_attempt_at` when the next ' +
        'one begins automatically.',
      params: bundleInput,
      success: { kind: 'json', status: 200, schema: bundleSchema },
      errors: ['bundle_not_found'],
    },
    ({ context, params }) => getBundle(context, params),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/bundles/{bundle_id}/dns',
      id: 'getDnsReport',
      tag,
      summary: 'Inspect the public DNS records of a bundle’s hostname',
      description:
        'Each fact with what is expected, what was found and what is wrong with it. `is_safe_to_switch`: the certificate is there ' +
        'and traffic is still elsewhere.',
      params: bundleInput,
      success: { kind: 'json', status: 200, schema: dnsReportSchema },
      errors: ['bundle_not_found'],
    },
    ({ context, params }) => getDnsReport(context, params),
  ),
  organizationRoute(
    {
      method: 'POST',
      path: '/api/v1/bundles/{bundle_id}/validate',
      id: 'validateBundle',
      tag,
      summary: 'Validate the DNS records of a bundle',
      description:
        '`dns_validated`: the hostname reaches this installation. `dns_challenge_validated`: the challenge record is in place, so a certificate ' +
        'can be issued; that begins automatically.',
      params: bundleInput,
      success: { kind: 'json', status: 200, schema: bundleSchema },
      errors: ['bundle_not_found', 'dns_unavailable'],
    },
    ({ context, params }) => validateBundle(context, params),
  ),
  organizationRoute(
    {
      method: 'POST',
      path: '/api/v1/bundles/{bundle_id}/issue',
      id: 'issueBundle',
      tag,
      summary: 'Issue the certificate of a bundle',
      description:
        'Waits until it is issued, at most 50 seconds; after that, `step` shows that the work continues. A fresh certificate is kept.',
      params: bundleInput,
      success: { kind: 'json', status: 200, schema: bundleSchema },
      errors: [
        'bundle_not_found',
        'challenge_record_missing',
        'caa_forbids',
        'dns_unavailable',
        'certificate_limit',
        'certificate_unavailable',
        'certificate_failed',
      ],
    },
    ({ context, params }) => issueBundle(context, params),
  ),
  openRoute(
    {
      audience: 'public',
      method: 'GET',
      path: '/api/v1/certificate-authority.pem',
      id: 'getRootCertificate',
      tag,
      summary: 'Get the root certificate of this installation',
      description:
        'Where no ACME server is set, this installation issues its certificates itself. A machine that trusts this root trusts them.',
      success: { kind: 'download', mediaType: 'application/x-pem-file' },
      errors: ['not_found'],
    },
    async ({ context }) => {
      const pem = getRootCertificate(context);
      const etag = hashTag(pem);
      return { stream: Readable.from([Buffer.from(pem)]), filename: 'certificate-authority.pem', etag };
    },
  ),
];
