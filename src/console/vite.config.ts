/** `vite build`: static files for the server, into dist/console. JSX needs no plugin: Vite compiles it by tsconfig.json. */
import { defineConfig, type Plugin } from 'vite';

/** Vite makes one script of all that a page names: what goes ahead of it is built apart and named afterwards. */
const first: Plugin = {
  name: 'first',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }) =>
      Object.values(bundle)
        .filter((file) => file.type === 'chunk' && file.isEntry && file.name === 'first')
        .map(({ fileName }) => ({
          tag: 'script',
          attrs: { type: 'module', crossorigin: true, src: `/${fileName}` },
          injectTo: 'head-prepend' as const,
        })),
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [first],
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    // The server's policy lets nothing inline be loaded.
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: [`${import.meta.dirname}/index.html`, `${import.meta.dirname}/first.ts`],
      // Libraries say "use client" for frameworks that render on a server.
      checks: { moduleLevelDirective: false },
    },
  },
});
