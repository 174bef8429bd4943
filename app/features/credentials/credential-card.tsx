import { Trans, useLingui } from '@lingui/react/macro';
import { ActionIcon, Badge, Button, Card, Group, Text, Title, Tooltip } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { Credential } from '#server/services/credentials/schema.ts';
import { formatDate } from '#server/services/shared/date-rules.ts';
import { CopyButton } from '../../components/copying/copy-button.tsx';
import { TimeAgo } from '../../components/dates/time-ago.tsx';
import { ReasonedAction } from '../../components/hints/reasoned-action.tsx';
import { useOrganization } from '../organizations/use-organization.ts';
import classes from './credential-card.module.css';
import { ScopeChips } from './scopes/scope-chips.tsx';
import { useDeleteCredential } from './use-delete-credential.tsx';

/** One credential: its name, its public key, when it was last used, and its scopes. */
export function CredentialCard(props: { credential: Credential; reason: string | null; onEdit: () => void }) {
  const { t, i18n } = useLingui();
  const { credential, reason, onEdit } = props;
  const { organization } = useOrganization();
  const { askToDelete, isDeleting } = useDeleteCredential(organization.id);
  const dateOf = (instant: string) => formatDate(instant, i18n.locale, { dateStyle: 'medium' });
  const { name } = credential;
  const hasExpired = credential.expires_at !== null && Date.parse(credential.expires_at) <= Date.now();
  const facts = [
    { name: t`Created`, value: dateOf(credential.created_at) },
    {
      name: t`Last used`,
      value: credential.last_used_at ? <TimeAgo instant={credential.last_used_at} /> : t`Never`,
    },
    {
      name: hasExpired ? t({ context: 'credential', message: 'Expired' }) : t`Expires`,
      value: credential.expires_at ? dateOf(credential.expires_at) : t`Never`,
    },
  ];
  return (
    <Card component="article" aria-label={name} padding="md">
      <div className={classes.header}>
        <div className={classes.head}>
          <Group gap="xs">
            <Title order={2} className={classes.name}>
              {name}
            </Title>
            {!credential.is_active && (
              <Badge color="gray">
                <Trans>inactive</Trans>
              </Badge>
            )}
          </Group>
          {credential.description && (
            <Text size="sm" c="dimmed" mt={2} className={classes.name}>
              {credential.description}
            </Text>
          )}
        </div>
        <Group gap="xs" wrap="nowrap">
          <ReasonedAction reason={reason} onAct={onEdit}>
            {(action) => (
              <Button variant="default" size="xs" aria-label={t`Edit scopes of ${name}`} {...action}>
                <Trans>Edit scopes</Trans>
              </Button>
            )}
          </ReasonedAction>
          <ReasonedAction reason={reason} onAct={() => void askToDelete(credential)}>
            {(action) =>
              reason === null ? (
                <Tooltip label={t`Delete`}>
                  <ActionIcon loading={isDeleting} aria-label={t`Delete ${name}`} {...action}>
                    <IconTrash size={17} stroke={1.6} />
                  </ActionIcon>
                </Tooltip>
              ) : (
                <ActionIcon aria-label={t`Delete ${name}`} {...action}>
                  <IconTrash size={17} stroke={1.6} />
                </ActionIcon>
              )
            }
          </ReasonedAction>
        </Group>
      </div>
      <dl className={classes.facts}>
        {facts.map((fact) => (
          <div key={fact.name}>
            <dt>{fact.name}</dt>
            <dd>{fact.value}</dd>
          </div>
        ))}
        <div className={classes.key}>
          <dt>
            <Trans>Public key</Trans>
          </dt>
          <dd>
            <code>{credential.public_key}</code>
            <CopyButton value={credential.public_key} label={t`Copy public key`} />
          </dd>
        </div>
      </dl>
      <ScopeChips credential={credential} />
    </Card>
  );
}
