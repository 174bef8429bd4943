import { Trans } from '@lingui/react/macro';
import { Title } from '@mantine/core';
import { type Icon, IconBucket, IconHistory, IconReceipt2, IconWorldCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useSettings } from '../../use-settings.ts';
import classes from './showcase.module.css';

/** What the product is, beside the forms with which people come in: a deploy as it happens, and what else there is. */
export function Showcase() {
  const { sitesHost } = useSettings();
  return (
    <section className={classes.showcase} aria-labelledby="showcase">
      <Title order={2} id="showcase" className={classes.title}>
        <Trans>From a folder to a live site in seconds</Trans>
      </Title>
      {/* A picture of what a deploy looks like; the words around it say the same. */}
      <div className={classes.terminal} aria-hidden>
        <div>
          <span className={classes.prompt}>$</span> deploy ./dist --site harbour
        </div>
        <div className={classes.quiet}>
          <Trans>24 files, 3 changed, 18 KB sent</Trans>
        </div>
        <div>
          <span className={classes.done}>✓</span> <Trans>Live at</Trans>{' '}
          <span className={classes.address}>harbour.{sitesHost}</span>
        </div>
      </div>
      <ul className={classes.points}>
        <Point icon={IconHistory}>
          <Trans>Every version is kept: one click brings an earlier one back.</Trans>
        </Point>
        <Point icon={IconWorldCheck}>
          <Trans>Your own hostnames, with certificates that are issued and renewed automatically.</Trans>
        </Point>
        <Point icon={IconBucket}>
          <Trans>Buckets for files of any size, for every S3-compatible client.</Trans>
        </Point>
        <Point icon={IconReceipt2}>
          <Trans>Usage by the minute, and firm spending limits.</Trans>
        </Point>
      </ul>
    </section>
  );
}

function Point({ icon: PointIcon, children }: { icon: Icon; children: ReactNode }) {
  return (
    <li>
      <PointIcon size={20} stroke={1.6} aria-hidden />
      <span>{children}</span>
    </li>
  );
}
