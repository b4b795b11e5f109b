// Runs the script of a page, as a browser would, on a document that has just enough for it, and prints the page that
// comes of it: node render_page.js PAGE. A script's texts stay texts: markup in them is escaped in what is printed.
'use strict';
const fs = require('fs');
const vm = require('vm');

const VOID = new Set(['br', 'input', 'meta']);
const escaped = text => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

class Text {
  constructor(text) { this.textContent = text; }
  get outerHTML() { return escaped(this.textContent); }
}

class Element {
  constructor(name) {
    this.name = name;
    this.attributes = new Map();
    this.children = [];
    this.style = {};
    this.value = '';
    this.listeners = {};
    this.classList = {toggle: (word, on) => this.toggle(word, on)};
  }
  setAttribute(key, value) { this.attributes.set(key, String(value)); }
  append(...children) {
    for (const child of children) this.children.push(child instanceof Element ? child : new Text(String(child)));
  }
  addEventListener(kind, listener) { this.listeners[kind] = listener; }
  toggle(word, on) {
    const words = new Set((this.attributes.get('class') ?? '').split(' ').filter(Boolean));
    if (on) words.add(word);
    else words.delete(word);
    this.attributes.set('class', [...words].join(' '));
  }
  get textContent() { return this.children.map(child => child.textContent).join(''); }
  set textContent(text) { this.children = text === '' ? [] : [new Text(String(text))]; }
  get outerHTML() {
    let out = '<' + this.name;
    for (const [key, value] of this.attributes) out += ` ${key}="${escaped(value).replace(/"/g, '&quot;')}"`;
    const style = Object.entries(this.style).map(([key, value]) => `${key}: ${value};`).join(' ');
    if (style) out += ` style="${style}"`;
    if (VOID.has(this.name)) return out + '>';
    return out + '>' + this.children.map(child => child.outerHTML).join('') + '</' + this.name + '>';
  }
  // The first element below this one that fits.
  find(fits) {
    for (const child of this.children.filter(child => child instanceof Element)) {
      const found = fits(child) ? child : child.find(fits);
      if (found) return found;
    }
    return null;
  }
}

const page = fs.readFileSync(process.argv[2], 'utf8');
const report = new Element('main');
report.setAttribute('id', 'report');
const data = new Element('script');
data.append(page.match(/<script type="application\/json" id="data">([^]*?)<\/script>/)[1]);
const document = {
  title: '',
  createElement: name => new Element(name),
  createElementNS: (_, name) => new Element(name),
  getElementById: id => ({data, report})[id] ?? null,
};
vm.runInNewContext(page.match(/<script>([^]*?)<\/script>/)[1], {document});

// What a person does: words for the filter, then a button.
const [, , , wanted, button] = process.argv;
if (wanted !== undefined) {
  const box = report.find(element => element.attributes.get('id') === 'filter');
  box.value = wanted;
  box.listeners.input();
}
if (button !== undefined) report.find(element => element.attributes.get('data-v') === button).listeners.click();

process.stdout.write('<html><head><title>' + escaped(document.title) + '</title></head><body>' + report.outerHTML +
                     '</body></html>\n');
