import { z } from 'zod';
import { createCredential } from '../../services/credentials/create-credential.ts';
import { deleteCredential } from '../../services/credentials/delete-credential.ts';
import { getCredential } from '../../services/credentials/get-credential.ts';
import { listCredentials } from '../../services/credentials/list-credentials.ts';
import {
  createCredentialInput,
  createCredentialResult,
  credentialInput,
  credentialSchema,
  updateScopesInput,
} from '../../services/credentials/schema.ts';
import { updateScopes } from '../../services/credentials/update-scopes.ts';
import { organizationRoute, type Route } from '../route.ts';

const tag = 'Credentials';

export const credentialRoutes: Route[] = [
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/credentials',
      id: 'listCredentials',
      tag,
      summary: 'List credentials, newest first',
      success: { kind: 'json', status: 200, schema: z.array(credentialSchema) },
      errors: ['person_required'],
      refuses: 'credentials and operators',
    },
    ({ context }) => listCredentials(context),
  ),
  organizationRoute(
    {
      method: 'POST',
      path: '/api/v1/credentials',
      id: 'createCredential',
      tag,
      summary: 'Create a credential',
      description: '`secret_key` is in this response and in no other.',
      body: { json: createCredentialInput },
      success: { kind: 'json', status: 201, schema: createCredentialResult },
      errors: [
        'person_required',
        'credential_name_required',
        'scope_resource_not_found',
        'feature_missing',
        'limit_credentials',
      ],
      refuses: 'credentials and operators',
      location: (created) => `/api/v1/credentials/${created.credential.id}`,
    },
    ({ context, body }) => createCredential(context, body),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/credentials/{credential_id}',
      id: 'getCredential',
      tag,
      summary: 'Get a credential',
      params: credentialInput,
      success: { kind: 'json', status: 200, schema: credentialSchema },
      errors: ['person_required', 'credential_not_found'],
      refuses: 'credentials and operators',
    },
    ({ context, params }) => getCredential(context, params),
  ),
  organizationRoute(
    {
      method: 'DELETE',
      path: '/api/v1/credentials/{credential_id}',
      id: 'deleteCredential',
      tag,
      summary: 'Delete a credential',
      description: 'The next request with it is refused.',
      params: credentialInput,
      success: { kind: 'empty' },
      errors: ['person_required', 'credential_not_found'],
      refuses: 'credentials and operators',
    },
    ({ context, params }) => deleteCredential(context, params),
  ),
  organizationRoute(
    {
      method: 'PUT',
      path: '/api/v1/credentials/{credential_id}/scopes',
      id: 'updateCredentialScopes',
      tag,
      summary: 'Replace the scopes of a credential',
      params: credentialInput,
      body: { json: updateScopesInput.omit({ credential_id: true }) },
      success: { kind: 'json', status: 200, schema: credentialSchema },
      errors: ['person_required', 'credential_not_found', 'scope_resource_not_found', 'feature_missing'],
      refuses: 'credentials and operators',
    },
    ({ context, params, body }) => updateScopes(context, { ...params, ...body }),
  ),
];
