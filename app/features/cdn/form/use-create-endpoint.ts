import { useRouter } from '@tanstack/react-router';
import { KIND_OF_CODE } from '#server/error-codes.ts';
import { readError } from '../../../i18n/errors/read-error.ts';
import { trpc } from '../../../trpc.ts';
import { useOrganization } from '../../organizations/use-organization.ts';
import type { TypedEndpoint } from './endpoint-form-errors.ts';

/**
 * Returns a function that creates an endpoint and then opens its page; a refusal because billing is missing
 * redirects to /onboarding.
 */
export function useCreateEndpoint({ onRefused }: { onRefused: (error: unknown) => void }) {
  const { organization } = useOrganization();
  const router = useRouter();
  const utils = trpc.useUtils();
  const of = { organization_id: organization.id };
  const { mutate, isPending, error, reset } = trpc.cdn.create.useMutation({
    onSuccess: (endpoint) => {
      utils.cdn.get.setData({ ...of, endpoint_id: endpoint.id }, endpoint);
      void utils.cdn.page.invalidate();
      // Sites show the number of their endpoints.
      void utils.sites.invalidate();
      // Back leads to the page where the form was opened, not to the form.
      return router.navigate({
        to: '/$orgId/endpoints/$endpointId',
        params: { orgId: organization.id, endpointId: endpoint.id },
        replace: true,
      });
    },
    onError: (refusal) => {
      const known = readError(refusal);
      if (known && KIND_OF_CODE[known.code] === 'payment_required') {
        void router.navigate({ to: '/onboarding', search: { return_to: router.latestLocation.href } });
      }
      onRefused(refusal);
    },
  });
  const create = ({ hostname, origin, siteId, redirectTarget }: TypedEndpoint) =>
    mutate({
      ...of,
      hostname,
      origin_type: origin,
      ...(origin === 'site' ? { site_id: siteId } : { redirect_target: redirectTarget }),
    });
  return { create, isPending, error, reset };
}
