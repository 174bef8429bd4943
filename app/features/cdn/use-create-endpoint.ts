import { useLingui } from '@lingui/react';
import { useRouter } from '@tanstack/react-router';
import { ERROR_CODES } from '#server/error-codes.ts';
import { readError } from '../../i18n/read-error.ts';
import { useErrorMessage } from '../../i18n/use-error-message.ts';
import { trpc } from '../../trpc.ts';
import { useOrganization } from '../organizations/use-organization.ts';
import {
  type EndpointField,
  fieldOfRefusal,
  type TypedEndpoint,
  wordsOfRefusal,
} from './endpoint-form-errors.ts';

/**
 * Returns what creates an endpoint and then goes to its page. What the server finds wrong with a field goes to `onRefused`, worded;
 * `failure` is everything else, and 402 leads to /onboarding.
 */
export function useCreateEndpoint(onRefused: (field: EndpointField, words: string) => void) {
  const { i18n } = useLingui();
  const describe = useErrorMessage();
  const { organization } = useOrganization();
  const router = useRouter();
  const utils = trpc.useUtils();
  const of = { organization_id: organization.id };
  const create = trpc.cdn.create.useMutation({
    onSuccess: (endpoint) => {
      utils.cdn.get.setData({ ...of, endpoint_id: endpoint.id }, endpoint);
      void utils.cdn.list.invalidate();
      // Sites count their endpoints.
      void utils.sites.invalidate();
      // Back leads to where the form was opened, not to the form.
      return router.navigate({
        to: '/$orgId/endpoints/$endpointId',
        params: { orgId: organization.id, endpointId: endpoint.id },
        replace: true,
      });
    },
    onError: (error) => {
      const known = readError(error);
      if (!known) return;
      if (ERROR_CODES[known.code].kind === 'payment_required') void router.navigate({ href: '/onboarding' });
      const field = fieldOfRefusal(known);
      if (field === null) return;
      const words = wordsOfRefusal(known);
      onRefused(field, words ? i18n._(words) : describe(error));
    },
  });
  const send = ({ hostname, origin, siteId, redirectTarget }: TypedEndpoint) =>
    create.mutate({
      ...of,
      hostname,
      origin_type: origin,
      ...(origin === 'site' ? { site_id: siteId } : { redirect_target: redirectTarget }),
    });
  const known = readError(create.error);
  const isOfField = known !== null && fieldOfRefusal(known) !== null;
  return { send, isPending: create.isPending, failure: isOfField ? null : create.error };
}
