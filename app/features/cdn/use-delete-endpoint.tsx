import { Trans, useLingui } from '@lingui/react/macro';
import type { Endpoint } from '#server/services/cdn/schema.ts';
import { writtenHostname } from '#server/services/cdn/unicode-hostname-rules.ts';
import { isLocalName } from '#server/services/certificates/rules.ts';
import { askConfirmation } from '../../components/dialogs/confirm-host.tsx';
import { notifyFailure, notifySuccess } from '../../components/notifications/notify.ts';
import { notifyUndo } from '../../components/notifications/notify-undo.tsx';
import { useErrorMessage } from '../../i18n/errors/use-error-message.ts';
import { trpc } from '../../trpc.ts';
import { useOrganization } from '../organizations/use-organization.ts';

/**
 * Returns a function that deletes an endpoint after asking and resolves to whether it was deleted. It offers
 * to undo that: an endpoint that is added again there soon has the same records, and a proven hostname is
 * reserved for its organization meanwhile.
 */
export function useDeleteEndpoint(): (endpoint: Endpoint) => Promise<boolean> {
  const { t } = useLingui();
  const { organization } = useOrganization();
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const remove = trpc.cdn.delete.useMutation();
  const create = trpc.cdn.create.useMutation();
  const update = trpc.cdn.update.useMutation();
  const of = { organization_id: organization.id };
  // Sites show the number of their endpoints.
  const reload = () => Promise.all([utils.cdn.invalidate(), utils.sites.invalidate()]);

  const undo = async (endpoint: Endpoint) => {
    const { hostname, origin_type, site_id, redirect_target, hsts } = endpoint;
    const name = writtenHostname(hostname);
    try {
      const { id } = await create.mutateAsync({
        ...of,
        hostname,
        origin_type,
        site_id,
        redirect_target,
      });
      if (hsts !== 'off') await update.mutateAsync({ ...of, endpoint_id: id, hsts });
      notifySuccess(t({ context: 'endpoint', message: `${name} is back` }));
    } catch (error) {
      notifyFailure(describe(error));
    }
    await reload();
  };

  return async (endpoint) => {
    const name = writtenHostname(endpoint.hostname);
    const isReserved = endpoint.proven_at !== null && !isLocalName(endpoint.hostname);
    const isSure = await askConfirmation({
      title: t({ context: 'endpoint', message: `Delete ${name}?` }),
      body: isReserved ? (
        <Trans>
          <strong>{name}</strong> stops responding immediately and its certificate is removed. The hostname is
          reserved for you for three days: until then, you can add it again without changing DNS. If you no
          longer need it, remove its DNS records too.
        </Trans>
      ) : (
        <Trans>
          <strong>{name}</strong> stops responding immediately and its certificate is removed. If it has DNS
          records, remove them too.
        </Trans>
      ),
      confirm: t`Delete endpoint`,
      isDestructive: true,
    });
    if (!isSure) return false;
    try {
      await remove.mutateAsync({ ...of, endpoint_id: endpoint.id });
    } catch (error) {
      notifyFailure(describe(error));
      return false;
    }
    notifyUndo(t({ context: 'endpoint', message: `${name} was deleted` }), () => void undo(endpoint));
    void reload();
    return true;
  };
}
