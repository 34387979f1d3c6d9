extension HostedFiles {
    /// The script that a merchant's page loads: it draws the button, checks its configuration, and posts the checkout.
    ///
    /// Styles are set through the object model only, so that a page's policy may forbid inline styles. The base URL is where
    /// the script itself came from.
    static let checkoutScript = #"""
        (function () {
          'use strict';
          var own = document.currentScript;
          var base = own && own.src ? new URL(own.src).origin : window.location.origin;
          var lists = {
            ledgerCurrency: ['JPY', 'USD', 'EUR', 'GBP'],
            checkoutLanguage: ['ja_JP', 'en_US', 'en_GB', 'de_DE', 'fr_FR', 'it_IT', 'es_ES'],
            productType: ['PayAndShip', 'PayAndShipMultiAddress', 'PayOnly', 'SignIn'],
            placement: ['Home', 'Product', 'Cart', 'Checkout', 'Other'],
            buttonColor: ['Gold', 'LightGray', 'DarkGray']
          };
          var colors = { Gold: '#ffd814', LightGray: '#e7e9ec', DarkGray: '#37475a' };

          function fail(place, message) {
            console.error('Amazon Pay simulator: ' + message);
            var box = document.createElement('p');
            box.className = 'amazon-pay-simulator-error';
            box.setAttribute('role', 'alert');
            box.style.border = '2px solid #b12704';
            box.style.color = '#b12704';
            box.style.background = '#fff';
            box.style.padding = '0.5em';
            box.textContent = 'Amazon Pay simulator: ' + message;
            (place || document.body).appendChild(box);
            return false;
          }

          function checkoutConfig(config) {
            return config.createCheckoutSessionConfig || config.signInConfig || null;
          }

          function problemOfButton(config) {
            if (!config || typeof config !== 'object') { return 'the configuration is missing'; }
            if (!config.merchantId) { return 'merchantId is missing'; }
            if (!config.ledgerCurrency) { return 'ledgerCurrency is missing'; }
            if (!config.placement) { return 'placement is missing'; }
            for (var name in lists) {
              if (config[name] !== undefined && lists[name].indexOf(config[name]) < 0) {
                return name + ' is not one of ' + lists[name].join(', ');
              }
            }
            return null;
          }

          function problemOfCheckout(config) {
            var inner = checkoutConfig(config);
            if (!inner) { return 'createCheckoutSessionConfig is missing'; }
            if (typeof inner.payloadJSON !== 'string' || !inner.payloadJSON) { return 'payloadJSON is missing'; }
            if (/[\r\n]/.test(inner.payloadJSON)) { return 'payloadJSON holds a line break, which a form would change'; }
            if (typeof inner.signature !== 'string' || !inner.signature) { return 'signature is missing'; }
            if (!config.publicKeyId && !inner.publicKeyId) { return 'publicKeyId is missing'; }
            return null;
          }

          function start(config, place) {
            var problem = problemOfButton(config) || problemOfCheckout(config);
            if (problem) { return fail(place, problem); }
            var inner = checkoutConfig(config);
            var form = document.createElement('form');
            form.method = 'post';
            form.action = base + '/checkout/start';
            form.target = '_top';
            form.hidden = true;
            var values = {
              merchantId: config.merchantId,
              publicKeyId: config.publicKeyId || inner.publicKeyId,
              ledgerCurrency: config.ledgerCurrency,
              sandbox: config.sandbox === true ? 'true' : 'false',
              checkoutLanguage: config.checkoutLanguage || '',
              productType: config.productType || 'PayAndShip',
              placement: config.placement,
              estimatedOrderAmount: config.estimatedOrderAmount ? JSON.stringify(config.estimatedOrderAmount) : '',
              payloadJSON: inner.payloadJSON,
              signature: inner.signature,
              algorithm: inner.algorithm || '',
              origin: window.location.origin
            };
            Object.keys(values).forEach(function (name) {
              if (values[name] === '') { return; }
              var input = document.createElement('input');
              input.type = 'hidden';
              input.name = name;
              input.value = values[name];
              form.appendChild(input);
            });
            document.body.appendChild(form);
            form.submit();
            return true;
          }

          function merged(first, second) {
            var result = {};
            [first || {}, second || {}].forEach(function (part) {
              Object.keys(part).forEach(function (name) { result[name] = part[name]; });
            });
            return result;
          }

          function draw(place, config) {
            var button = document.createElement('button');
            button.type = 'button';
            button.className = 'amazon-pay-simulator-button';
            button.setAttribute('aria-label', 'Amazon Pay');
            button.textContent = 'amazon pay';
            var color = config.buttonColor || 'Gold';
            button.style.background = colors[color];
            button.style.color = color === 'DarkGray' ? '#fff' : '#111';
            button.style.border = '1px solid #888c8c';
            button.style.borderRadius = '8px';
            button.style.font = 'bold 18px sans-serif';
            button.style.minHeight = '45px';
            button.style.minWidth = '200px';
            button.style.width = '100%';
            button.style.cursor = 'pointer';
            place.appendChild(button);
            return button;
          }

          function renderButton(selector, config) {
            var place = typeof selector === 'string' ? document.querySelector(selector) : selector;
            var handlers = [];
            var amount = null;
            var handle = {
              onClick: function (handler) { handlers.push(handler); },
              initCheckout: function (more) {
                return start(merged(merged(config, amount && { estimatedOrderAmount: amount }), more), place);
              },
              updateButtonInfo: function (newAmount) { amount = newAmount; }
            };
            if (!place) { fail(null, 'nothing on the page matches ' + selector); return handle; }
            var problem = problemOfButton(config);
            if (!problem && checkoutConfig(config)) { problem = problemOfCheckout(config); }
            if (problem) { fail(place, problem); return handle; }
            draw(place, config).addEventListener('click', function (event) {
              handlers.forEach(function (handler) { handler(event); });
              if (checkoutConfig(config)) { handle.initCheckout({}); }
            });
            return handle;
          }

          function bindChangeAction(selector, options) {
            var place = typeof selector === 'string' ? document.querySelector(selector) : selector;
            var actions = ['changeAddress', 'changePayment'];
            if (!place) { return fail(null, 'nothing on the page matches ' + selector); }
            if (!options || !options.amazonCheckoutSessionId) { return fail(place, 'amazonCheckoutSessionId is missing'); }
            if (actions.indexOf(options.changeAction) < 0) {
              return fail(place, 'changeAction is not one of ' + actions.join(', '));
            }
            place.addEventListener('click', function (event) {
              event.preventDefault();
              window.location.assign(base + '/ap/select?amazonCheckoutSessionId='
                + encodeURIComponent(options.amazonCheckoutSessionId) + '&changeAction=' + options.changeAction);
            });
            return true;
          }

          function signout() {
            return fetch(base + '/ap/signout', { method: 'POST', mode: 'no-cors', credentials: 'include' });
          }

          window.amazon = window.amazon || {};
          window.amazon.Pay = {
            renderButton: renderButton,
            initCheckout: function (config) { return start(config, null); },
            bindChangeAction: bindChangeAction,
            signout: signout
          };
        })();

        """#
}
