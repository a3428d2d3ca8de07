// pictures.js - pictures that came as bytes.
'use strict';

// Pictures as bytes (n, height, width, channels), drawn on canvases.
class Pictures {
    constructor({count, height, width, channels, bytes}) {
        Object.assign(this, {count, height, width, channels, bytes: Uint8Array.from(atob(bytes), sign => sign.charCodeAt(0))});
    }

    canvas(number, label) {
        const canvas = html('canvas', {width: this.width, height: this.height, role: 'img', 'aria-label': label});
        const paint = canvas.getContext('2d'), image = paint.createImageData(this.width, this.height);
        const size = this.width * this.height, from = number * size * this.channels;
        for (let i = 0; i < size; i++)
            for (let k = 0; k < 4; k++) {
                const channel = k < 3 ? Math.min(k, this.channels - 1) : this.channels === 4 ? 3 : -1;
                image.data[4 * i + k] = channel < 0 ? 255 : this.bytes[from + i * this.channels + (this.channels < 3 ? 0 : channel)];
            }
        paint.putImageData(image, 0, 0);
        return canvas;
    }
}
