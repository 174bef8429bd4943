import { Trans, useLingui } from '@lingui/react/macro';
import { Alert, Checkbox, List, Modal, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { PersonDetail, PersonForOperator } from '#server/services/people/schema.ts';
import { DialogActions } from '../../../components/dialogs/dialog-actions.tsx';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { TypedName } from '../../../components/forms/typed-name.tsx';
import { useShortList } from '../../../components/lists/use-short-list.tsx';
import { notifySuccess } from '../../../components/notifications/notify.ts';
import { useErrorMessage } from '../../../i18n/errors/use-error-message.ts';
import { trpc } from '../../../trpc.ts';
import classes from '../operator.module.css';

/** More organizations are shown on demand: the form below them stays in view. */
const SHOWN_AT_FIRST = 6;

/** Deletes a person, after asking what to do with organizations without another owner. */
export function DeletePersonDialog(props: { person: PersonForOperator; onClosed: () => void }) {
  const { t } = useLingui();
  const { person, onClosed } = props;
  const describe = useErrorMessage();
  const [isOpen, setOpen] = useState(true);
  const detail = trpc.operator.person.useQuery({ person: person.id });
  const name = person.full_name || person.login;
  return (
    <Modal
      opened={isOpen}
      onClose={() => setOpen(false)}
      onExitTransitionEnd={onClosed}
      title={t({ context: 'person', message: `Delete ${name}?` })}
    >
      {detail.data ? (
        <DeletePersonForm person={detail.data} name={name} onDone={() => setOpen(false)} />
      ) : detail.error ? (
        <ErrorNotice onRetry={detail.refetch}>{describe(detail.error)}</ErrorNotice>
      ) : (
        <Skeleton height={160} />
      )}
    </Modal>
  );
}

function DeletePersonForm(props: { person: PersonDetail; name: string; onDone: () => void }) {
  const { t } = useLingui();
  const { person, name, onDone } = props;
  const describe = useErrorMessage();
  const utils = trpc.useUtils();
  const remove = trpc.operator.deletePerson.useMutation();
  const [heir, setHeir] = useState('');
  const [deletesContent, setDeletesContent] = useState(false);
  const [typed, setTyped] = useState('');
  const isConfirmed = typed.trim().toLowerCase() === person.login.toLowerCase();
  const shared = person.organizations.filter((each) => each.is_only_owner && !each.is_personal);

  const { shown, toggle } = useShortList(shared, SHOWN_AT_FIRST);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!isConfirmed || remove.isPending) return;
    try {
      await remove.mutateAsync({
        person: person.id,
        give_to: heir.trim() || undefined,
        delete_content: deletesContent,
      });
    } catch {
      // Shown from remove.error.
      return;
    }
    notifySuccess(t({ context: 'person', message: `${name} was deleted` }));
    onDone();
    await utils.operator.invalidate();
  };

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm">
          <Trans>
            The account, its sessions and the personal workspace are deleted. Invoices, records and the audit
            log keep the name.
          </Trans>
        </Text>
        {!person.is_kept_here && (
          <Alert color="yellow" role="note">
            <Trans>
              This account is managed by another identity service, so the person can sign in again. Block the
              person to prevent that.
            </Trans>
          </Alert>
        )}
        {shared.length > 0 && (
          <div>
            <Text size="sm" fw={500}>
              <Trans>No other owner</Trans>
            </Text>
            <List size="sm" mb="xs" className={classes.words}>
              {shown.map((organization) => (
                <List.Item key={organization.id}>{organization.name}</List.Item>
              ))}
            </List>
            {toggle}
            <TextInput
              label={<Trans>Transfer them to</Trans>}
              description={<Trans>A user name or an email address. Leave empty to delete them too.</Trans>}
              autoComplete="off"
              autoCapitalize="none"
              maxLength={254}
              value={heir}
              onChange={(event) => setHeir(event.currentTarget.value)}
            />
          </div>
        )}
        <Checkbox
          label={<Trans>Also delete the sites, buckets and everything else in them</Trans>}
          checked={deletesContent}
          onChange={(event) => setDeletesContent(event.currentTarget.checked)}
        />
        <TypedName name={person.login} value={typed} onChange={setTyped} />
        {remove.error && <ErrorNotice>{describe(remove.error)}</ErrorNotice>}
        <DialogActions
          submit={<Trans>Delete person</Trans>}
          onCancel={onDone}
          isPending={remove.isPending}
          isDisabled={!isConfirmed}
          isDestructive
        />
      </Stack>
    </form>
  );
}
