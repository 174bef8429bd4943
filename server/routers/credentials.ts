import { z } from 'zod';
import { createCredential } from '../services/credentials/create-credential.ts';
import { deleteCredential } from '../services/credentials/delete-credential.ts';
import { getCredential } from '../services/credentials/get-credential.ts';
import { listCredentials } from '../services/credentials/list-credentials.ts';
import { pageCredentials } from '../services/credentials/page-credentials.ts';
import {
  createCredentialInput,
  createCredentialResult,
  credentialInput,
  credentialPageSchema,
  credentialSchema,
  pageCredentialsInput,
  updateScopesInput,
} from '../services/credentials/schema.ts';
import { updateScopes } from '../services/credentials/update-scopes.ts';
import { organizationProcedure, router } from './trpc.ts';

export const credentialsRouter = router({
  list: organizationProcedure.output(z.array(credentialSchema)).query(({ ctx }) => listCredentials(ctx)),
  page: organizationProcedure
    .input(pageCredentialsInput)
    .output(credentialPageSchema)
    .query(({ ctx, input }) => pageCredentials(ctx, input)),
  get: organizationProcedure
    .input(credentialInput)
    .output(credentialSchema)
    .query(({ ctx, input }) => getCredential(ctx, input)),
  create: organizationProcedure
    .input(createCredentialInput)
    .output(createCredentialResult)
    .mutation(({ ctx, input }) => createCredential(ctx, input)),
  delete: organizationProcedure
    .input(credentialInput)
    .mutation(({ ctx, input }) => deleteCredential(ctx, input)),
  updateScopes: organizationProcedure
    .input(updateScopesInput)
    .output(credentialSchema)
    .mutation(({ ctx, input }) => updateScopes(ctx, input)),
});
