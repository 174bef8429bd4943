import { Trans } from '@lingui/react/macro';
import { UnstyledButton } from '@mantine/core';
import { IconArrowUpRight, IconPlus, IconUsers } from '@tabler/icons-react';
import { FOCUS_STOP } from '../../components/move-focus.ts';
import { useSettings } from '../../use-settings.ts';
import { membersAddress, NEW_ORGANIZATION_ADDRESS } from './organization-addresses.ts';
import classes from './organization-switcher.module.css';
import { usePlace } from './place-provider.tsx';

/** What can be done about organizations themselves: the members of the current one, and a new one. */
export function OrganizationLinks({ onFollow }: { onFollow: () => void }) {
  const { membership } = usePlace();
  const { isIdentityEmbedded, codeHostUrl } = useSettings();
  const members = membership && membersAddress(membership.organization);
  if (!members && !isIdentityEmbedded && !codeHostUrl) return null;
  return (
    <div className={classes.footer}>
      {members && (
        <UnstyledButton
          component="a"
          href={members}
          className={classes.entry}
          onClick={onFollow}
          {...FOCUS_STOP}
        >
          <IconUsers size={16} stroke={1.6} aria-hidden />
          <Trans>Members and settings</Trans>
        </UnstyledButton>
      )}
      {isIdentityEmbedded ? (
        <UnstyledButton
          component="a"
          href={NEW_ORGANIZATION_ADDRESS}
          className={classes.entry}
          onClick={onFollow}
          {...FOCUS_STOP}
        >
          <IconPlus size={16} stroke={1.6} aria-hidden />
          <Trans>New organization</Trans>
        </UnstyledButton>
      ) : (
        codeHostUrl && (
          <UnstyledButton
            component="a"
            href={`${codeHostUrl}/org/create`}
            target="_blank"
            rel="noreferrer"
            className={classes.entry}
            onClick={onFollow}
            {...FOCUS_STOP}
          >
            <IconPlus size={16} stroke={1.6} aria-hidden />
            <span className={classes.text}>
              <Trans>New organization</Trans>
              <span className="visually-hidden">
                {' '}
                <Trans>(opens in a new tab)</Trans>
              </span>
            </span>
            <IconArrowUpRight size={15} aria-hidden />
          </UnstyledButton>
        )
      )}
    </div>
  );
}
