import { Trans } from '@lingui/react/macro';
import { Button, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import type { Credential } from '#server/services/credentials/schema.ts';
import { ReasonedAction } from '../../components/hints/reasoned-action.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { trpc } from '../../trpc.ts';
import { LimitNotice } from '../limits/limit-notice.tsx';
import { useOrganization } from '../organizations/use-organization.ts';
import { usePermissionReason } from '../organizations/use-permission-reason.ts';
import { CreateCredentialDialog } from './create-credential-dialog.tsx';
import { CreatedBanner } from './created-banner.tsx';
import { CredentialsHeader } from './credentials-header.tsx';
import { CredentialsList } from './credentials-list.tsx';
import { CredentialsSkeleton } from './credentials-skeleton.tsx';
import { EditScopesDialog } from './scopes/edit-scopes-dialog.tsx';
import { useCreatedCredential } from './use-created-credential.ts';
import { useCredentialPages } from './use-credential-pages.ts';

const route = getRouteApi('/$orgId/credentials');

/**
 * The organization's credentials: cards, the banner after creation, and the two dialogs whose state is in the
 * address.
 */
export function CredentialsPage() {
  // Another organization's list starts afresh: nothing of the one before is shown meanwhile.
  return <OrganizationCredentials key={useOrganization().organization.id} />;
}

function OrganizationCredentials() {
  const { organization } = useOrganization();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useCredentialPages();
  const { created, show, markCopied, mayLose, dismiss } = useCreatedCredential();

  const reason = usePermissionReason()('credential.manage');
  const openDialog = (dialog: { create?: true; edit?: string }) =>
    void navigate({ search: ({ search: typed }) => ({ search: typed, ...dialog }), resetScroll: false });
  const askToCreate = async () => {
    if (await mayLose()) openDialog({ create: true });
  };
  const closeDialog = () =>
    void navigate({ search: ({ search: typed }) => ({ search: typed }), replace: true, resetScroll: false });
  const edited = useEditedCredential(reason === null ? search.edit : undefined, list.rows);
  const createButton = (
    <ReasonedAction reason={reason} onAct={() => void askToCreate()}>
      {(action) => (
        <Button leftSection={<IconPlus size={16} stroke={2} aria-hidden />} {...action}>
          <Trans>Create credential</Trans>
        </Button>
      )}
    </ReasonedAction>
  );

  if (list.pages.isPending) return <CredentialsSkeleton />;
  return (
    <>
      <CredentialsHeader actions={!list.hasNone && createButton} />
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
        <CredentialsList
          list={list}
          createButton={createButton}
          reason={reason}
          onEdit={({ id }) => openDialog({ edit: id })}
        />
      </Stack>
      <CreateCredentialDialog
        isOpen={search.create === true && reason === null}
        initial={{ siteId: search.site, bucketId: search.bucket }}
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
      <EditScopesDialog credential={edited} onClose={closeDialog} />
    </>
  );
}

/** The credential whose scopes the address says are being edited: one of the list, or any other; null without one. */
function useEditedCredential(id: string | undefined, rows: readonly Credential[]): Credential | null {
  const { organization } = useOrganization();
  const listed = rows.find((credential) => credential.id === id);
  const other = trpc.credentials.get.useQuery(
    { organization_id: organization.id, credential_id: id ?? '' },
    { enabled: id !== undefined && listed === undefined },
  );
  return listed ?? (id === undefined ? null : (other.data ?? null));
}
