import type { SiteFiles } from '#tests/support/client/deploy-client.ts';

const STYLE = `:root{--deep:#123f4d;--shore:#f5ede3}
*{box-sizing:border-box}
body{margin:0;background:var(--shore);color:#1d2b30;font:18px/1.5 Georgia,serif}
header{padding:5rem 8vw 9rem;background:linear-gradient(135deg,var(--deep),#2d7a78 60%,#5fa08a);color:#fff}
h1{margin:0;font-size:3rem}
h2{margin:.75rem 0 0;font-size:1.2rem}
a{color:inherit}
.maps{display:grid;grid-template-columns:repeat(auto-fit,minmax(15rem,1fr));gap:1.5rem;margin:-5rem 8vw 4rem}
article{padding:1.5rem;border-radius:.75rem;background:#fff;box-shadow:0 .5rem 2rem #123f4d26}
.map{height:7rem;border-radius:.5rem}
main{max-width:40rem;margin:3rem auto;padding:0 1rem}
`;

const RIVERS = [
  {
    path: 'saint-maurice',
    name: 'Saint-Maurice',
    about: 'From La Tuque to Trois-Rivières.',
    colours: '#1f6f78,#8fc0a9',
  },
  { path: 'batiscan', name: 'Batiscan', about: 'Portages, rapids and camps.', colours: '#b8552f,#f2b661' },
  {
    path: 'mastigouche',
    name: 'Mastigouche',
    about: 'Lakes in a chain, a day apart.',
    colours: '#33415c,#8fa9d6',
  },
];

/** The versions of the site `rives`, first to last, with the message of each. */
export const RIVES_VERSIONS: readonly { message: string; files: SiteFiles }[] = [
  { message: 'First maps', files: rives({ edition: 'first', rivers: 1 }) },
  { message: 'Maps of the Batiscan', files: rives({ edition: 'second', rivers: 2 }) },
  { message: 'Maps of the Mastigouche', files: rives({ edition: 'third', rivers: 3 }) },
  { message: 'Spring edition', files: rives({ edition: 'spring', rivers: 3 }) },
  { message: 'Without the Mastigouche', files: rives({ edition: 'spring', rivers: 2 }) },
];

/** The versions of the site `rives-docs`. */
export const DOCS_VERSIONS: readonly { message: string; files: SiteFiles }[] = [
  { message: 'Reading a map', files: { 'index.html': page('Handbook', '<h1>Reading a map</h1>') } },
  { message: 'Reading a river', files: { 'index.html': page('Handbook', '<h1>Reading a river</h1>') } },
];

function rives({ edition, rivers }: { edition: string; rivers: number }): SiteFiles {
  const shown = RIVERS.slice(0, rivers);
  const cards = shown.map(
    ({ path, name, about, colours }) =>
      `<article><div class="map" style="background:linear-gradient(90deg,${colours})"></div><h2><a href="/maps/${path}">${name}</a></h2>${about}</article>`,
  );
  const pages = shown.map(({ path, name, about }) => [
    `maps/${path}.html`,
    page(name, `<main><h1>${name}</h1><p>${about}</p></main>`),
  ]);
  return {
    'index.html': page(
      'Cartes des rives',
      `<header><h1>Cartes des rives</h1>Maps of rivers and of the ways around them: the ${edition} edition.</header><section class="maps">${cards.join('')}</section>`,
    ),
    'style.css': STYLE,
    _redirects: '/old /maps/saint-maurice 301\n',
    ...Object.fromEntries(pages),
  };
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><link rel="stylesheet" href="/style.css">${body}</html>`;
}
