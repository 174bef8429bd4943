import { Trans } from '@lingui/react/macro';
import { Button, Card, Stack, Text } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { ReasonedAction } from '../../components/hints/reasoned-action.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { EmptyState } from '../../components/lists/empty-state.tsx';
import { logFailure } from '../../i18n/log-failure.ts';
import { trpc } from '../../trpc.ts';
import { LimitNotice } from '../limits/limit-notice.tsx';
import { useOrganization } from '../organizations/use-organization.ts';
import { usePermissionReason } from '../organizations/use-permission-reason.ts';
import { CreateCredentialDialog } from './create-credential-dialog.tsx';
import { CreatedBanner } from './created-banner.tsx';
import { CredentialsHeader } from './credentials-header.tsx';
import { CredentialsList } from './credentials-list.tsx';
import { CredentialsSkeleton } from './credentials-skeleton.tsx';
import { EditScopesDialog } from './edit-scopes-dialog.tsx';
import { useCreatedCredential } from './use-created-credential.ts';

const route = getRouteApi('/$orgId/credentials');

/**
 * The organization's credentials: cards, the banner after creation, and the two dialogs whose state is in the
 * address. A list that cannot be loaded is logged and can be retried.
 */
export function CredentialsPage() {
  const { organization } = useOrganization();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = trpc.credentials.list.useQuery({ organization_id: organization.id });
  const { error } = list;
  useEffect(() => {
    if (error) logFailure(error);
  }, [error]);
  const credentials = list.data ?? [];
  const { created, show, markCopied, mayLose, dismiss } = useCreatedCredential();

  const reason = usePermissionReason()('credential.manage');
  const openDialog = (dialog: { create?: true; edit?: string }) =>
    void navigate({ search: ({ search: typed }) => ({ search: typed, ...dialog }), resetScroll: false });
  const askToCreate = async () => {
    if (await mayLose()) openDialog({ create: true });
  };
  const closeDialog = () =>
    void navigate({ search: ({ search: typed }) => ({ search: typed }), replace: true, resetScroll: false });
  const edited =
    reason === null ? credentials.find((credential) => credential.id === search.edit) : undefined;
  const createButton = (
    <ReasonedAction reason={reason} onAct={() => void askToCreate()}>
      {(action) => (
        <Button leftSection={<IconPlus size={16} stroke={2} aria-hidden />} {...action}>
          <Trans>Create credential</Trans>
        </Button>
      )}
    </ReasonedAction>
  );

  if (list.isPending) return <CredentialsSkeleton />;
  return (
    <>
      <CredentialsHeader actions={credentials.length > 0 && createButton} />
      <LimitNotice organizationId={organization.id} of={['credentials']} />
      <Stack gap="md">
        {created && (
          <CreatedBanner
            key={created.credential.id}
            created={created}
            onSecretCopied={markCopied}
            onDismiss={() => void dismiss()}
          />
        )}
        {list.isError && list.data === undefined ? (
          <ErrorNotice onRetry={() => void list.refetch()} isRetrying={list.isFetching}>
            <Trans>The credentials could not be loaded.</Trans>
          </ErrorNotice>
        ) : credentials.length === 0 ? (
          <Card padding={0}>
            <EmptyState icon={IconKey} title={<Trans>No credentials yet</Trans>} action={createButton}>
              <Trans>
                A credential lets your continuous integration, the command line and your scripts deploy
                without you. It gives access only to what you choose and can be deleted at any time.
              </Trans>
            </EmptyState>
          </Card>
        ) : (
          <CredentialsList
            credentials={credentials}
            reason={reason}
            onEdit={({ id }) => openDialog({ edit: id })}
          />
        )}
      </Stack>
      <CreateCredentialDialog
        isOpen={search.create === true && reason === null}
        onClose={closeDialog}
        onCreated={(result) => {
          show(result);
          closeDialog();
        }}
      />
      <Text size="sm" c="dimmed" mt="lg">
        <Trans>
          Use{' '}
          <AnchorLink to="/$orgId/webhooks" params={{ orgId: organization.id }} underline="always">
            webhooks
          </AnchorLink>{' '}
          to notify your own programs of what happens here.
        </Trans>
      </Text>
      <EditScopesDialog credential={edited ?? null} onClose={closeDialog} />
    </>
  );
}
