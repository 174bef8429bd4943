import type { CSSProperties } from 'react';
import type { Site } from '#server/services/sites/schema.ts';
import { initialsOf } from '../../components/avatar/initials-of.ts';
import classes from './site-picture.module.css';

/** What a site is recognised by: its front page, its icon, or its initials in a colour of its own. Its name stands beside it. */
export function SitePicture({
  site,
  isLarge = false,
}: {
  site: Pick<Site, 'id' | 'name' | 'picture'>;
  isLarge?: boolean;
}) {
  const { picture } = site;
  const size = isLarge ? 'large' : undefined;
  if (picture?.kind === 'page') {
    return (
      <span className={classes.frame} data-size={size} data-kind="page">
        <img src={picture.url} alt="" width={480} height={300} loading="lazy" decoding="async" />
      </span>
    );
  }
  return (
    <span
      className={classes.frame}
      data-size={size}
      data-kind="mark"
      style={{ '--hue': hueOf(site.id) } as CSSProperties}
      aria-hidden
    >
      {picture ? (
        <img src={picture.url} alt="" width={32} height={32} loading="lazy" decoding="async" />
      ) : (
        initialsOf(site.name)
      )}
    </span>
  );
}

/** The same colour for the same site, wherever it is shown. */
function hueOf(id: string): number {
  let sum = 0;
  for (const character of id) sum = (sum * 31 + character.charCodeAt(0)) % 360;
  return sum;
}
