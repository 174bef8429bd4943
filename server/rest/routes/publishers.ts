import { addPublisher } from '../../services/publishers/add-publisher.ts';
import { exchangeIdentityToken } from '../../services/publishers/exchange-identity-token.ts';
import { listPublishers } from '../../services/publishers/list-publishers.ts';
import { removePublisher } from '../../services/publishers/remove-publisher.ts';
import {
  addPublisherInput,
  exchangedCredentialSchema,
  exchangeIdentityTokenInput,
  publisherSchema,
  publishersInput,
  publishersSchema,
  removePublisherInput,
} from '../../services/publishers/schema.ts';
import { openRoute, organizationRoute, type Route } from '../route.ts';

const tag = 'Publishers';

export const publisherRoutes: Route[] = [
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/sites/{site_id}/publishers',
      id: 'listPublishers',
      tag,
      summary: 'List the repositories that deploy to a site without a stored secret',
      description: '`issuers` are those whose identity tokens the installation accepts.',
      params: publishersInput,
      success: { kind: 'json', status: 200, schema: publishersSchema },
      errors: ['person_required', 'site_not_found'],
      refuses: 'credentials and operators',
    },
    ({ context, params }) => listPublishers(context, params),
  ),
  organizationRoute(
    {
      method: 'POST',
      path: '/api/v1/sites/{site_id}/publishers',
      id: 'addPublisher',
      tag,
      summary: 'Allow a repository to deploy to a site without a stored secret',
      description: '`branch` is a branch, a prefix such as `release/*`, a full ref, or `*` for any.',
      params: publishersInput,
      body: { json: addPublisherInput.omit({ site_id: true }) },
      success: { kind: 'json', status: 201, schema: publisherSchema },
      errors: [
        'person_required',
        'site_not_found',
        'issuer_not_accepted',
        'publisher_exists',
        'publisher_limit',
      ],
      refuses: 'credentials and operators',
    },
    ({ context, params, body }) => addPublisher(context, { ...params, ...body }),
  ),
  organizationRoute(
    {
      method: 'DELETE',
      path: '/api/v1/sites/{site_id}/publishers/{publisher_id}',
      id: 'removePublisher',
      tag,
      summary: 'Stop a repository from deploying',
      description: 'Its credentials stop working with the next request.',
      params: removePublisherInput,
      success: { kind: 'empty' },
      errors: ['person_required', 'site_not_found', 'publisher_not_found'],
      refuses: 'credentials and operators',
    },
    ({ context, params }) => removePublisher(context, params),
  ),
  openRoute(
    {
      audience: 'public',
      method: 'POST',
      path: '/api/v1/identity-tokens/exchange',
      id: 'exchangeIdentityToken',
      tag,
      summary: 'Exchange the identity token of a CI run for a short-lived credential',
      description:
        'The token comes from GitHub Actions, Forgejo Actions or GitLab CI, with the address of this installation as audience. It is ' +
        'accepted once. The credential gives access to one site.',
      body: { json: exchangeIdentityTokenInput },
      success: { kind: 'json', status: 201, schema: exchangedCredentialSchema },
      errors: ['identity_token_refused', 'identity_token_used', 'publisher_unknown', 'service_unavailable'],
    },
    ({ context, body }) => exchangeIdentityToken(context, body),
  ),
];
