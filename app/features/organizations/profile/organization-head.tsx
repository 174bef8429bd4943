import { Trans, useLingui } from '@lingui/react/macro';
import { Anchor, Badge, Group, Text, Title } from '@mantine/core';
import { IconMapPin, IconWorld } from '@tabler/icons-react';
import type { PublicProfile } from '#server/services/organizations/schema.ts';
import { Avatar } from '../../../components/avatar/avatar.tsx';
import { ButtonLink } from '../../../components/links.tsx';
import { PERMISSION_NAMES } from '../../../i18n/permission-names.ts';
import classes from './organization-page.module.css';

/**
 * Picture, names, description, website and location; for a member also the permission and a link to the
 * console.
 */
export function OrganizationHead({ profile }: { profile: PublicProfile }) {
  const { i18n } = useLingui();
  const { name, handle, description, website, location, membership } = profile;
  return (
    <div className={classes.head}>
      <Avatar src={profile.avatar_url} name={name} size={72} radius="lg" />
      <div className={classes.words}>
        <Group justify="space-between" align="flex-start" gap="md">
          <div style={{ flex: '1 1 16rem', minWidth: 0 }}>
            <Title order={1} className={classes.name}>
              <bdi>{name}</bdi>
            </Title>
            <Group gap="xs" mt={2}>
              <Text size="sm" c="dimmed" className={classes.name}>
                {handle}
              </Text>
              {membership && <Badge>{i18n._(PERMISSION_NAMES[membership.permission])}</Badge>}
            </Group>
          </div>
          {membership && (
            <ButtonLink to="/$orgId" params={{ orgId: membership.organization_id }} variant="default">
              <Trans>Open in the console</Trans>
            </ButtonLink>
          )}
        </Group>
        {description && (
          <Text mt="sm" maw="40rem" className={classes.name} dir="auto" style={{ whiteSpace: 'pre-line' }}>
            {description}
          </Text>
        )}
        {(website || location) && (
          <div className={classes.facts}>
            {website && <Website address={website} />}
            {location && (
              <span className={classes.fact}>
                <IconMapPin size={16} stroke={1.6} aria-hidden />
                <span className="visually-hidden">
                  <Trans>Location</Trans>
                </span>
                <bdi>{location}</bdi>
              </span>
            )}
          </div>
        )}
      </div>
    </div>
  );
}

/** Only web addresses become links: an administrator types this, anyone may click it. */
function Website({ address }: { address: string }) {
  const isLink = /^https?:\/\//i.test(address);
  const shown = address.replace(/^https?:\/\//i, '').replace(/\/$/, '');
  return (
    <span className={classes.fact}>
      <IconWorld size={16} stroke={1.6} aria-hidden />
      <span className="visually-hidden">
        <Trans>Website</Trans>
      </span>
      {isLink ? (
        <Anchor href={address} rel="noreferrer nofollow" size="sm">
          {shown}
        </Anchor>
      ) : (
        address
      )}
    </span>
  );
}
