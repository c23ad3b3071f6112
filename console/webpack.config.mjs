// Two builds of one source: the plugin of the console, and the page of its own.
import { ConsoleRemotePlugin } from '@openshift-console/dynamic-plugin-sdk-webpack';
import CopyWebpackPlugin from 'copy-webpack-plugin';
import HtmlWebpackPlugin from 'html-webpack-plugin';
import MiniCssExtractPlugin from 'mini-css-extract-plugin';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(fileURLToPath(import.meta.url));
const out = process.env.STEWARD_CONSOLE_OUT ?? path.join(root, 'dist');

const common = {
  mode: 'production',
  context: path.join(root, 'src'),
  resolve: { extensions: ['.ts', '.tsx', '.js', '.jsx'] },
  module: {
    rules: [
      {
        test: /\.tsx?$/,
        exclude: /node_modules/,
        use: [{ loader: 'ts-loader', options: { configFile: path.join(root, 'tsconfig.json'), transpileOnly: true } }],
      },
      { test: /\.css$/, use: [MiniCssExtractPlugin.loader, 'css-loader'] },
      { test: /\.(svg|woff2?|ttf|eot|png|jpe?g)$/, type: 'asset/resource', generator: { filename: 'assets/[contenthash][ext]' } },
      { test: /\.m?js$/, resolve: { fullySpecified: false } },
    ],
  },
  output: {
    filename: '[name].[contenthash].js',
    chunkFilename: '[name].[contenthash].js',
    hashDigestLength: 20,
    clean: true,
  },
  performance: false,
  devtool: false,
  stats: 'errors-warnings',
};

// PatternFly's styles do not depend on their order.
const css = () => new MiniCssExtractPlugin({ ignoreOrder: true, filename: '[name].[contenthash].css', chunkFilename: '[name].[contenthash].css' });

export const plugin = {
  ...common,
  name: 'plugin',
  entry: {},
  output: { ...common.output, path: path.join(out, 'plugin') },
  plugins: [css(), new ConsoleRemotePlugin(), new CopyWebpackPlugin({ patterns: [{ from: path.join(root, 'locales'), to: 'locales' }] })],
};

export const standalone = {
  ...common,
  name: 'standalone',
  entry: { main: './standalone/main.tsx' },
  output: { ...common.output, path: path.join(out, 'standalone'), publicPath: '/' },
  plugins: [css(), new HtmlWebpackPlugin({ template: './standalone/index.html', inject: 'head', scriptLoading: 'defer' })],
};

export default [plugin, standalone];
