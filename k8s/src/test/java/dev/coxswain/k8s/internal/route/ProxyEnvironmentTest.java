// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** As Go's net/http, which client-go uses. */
class ProxyEnvironmentTest {

  private static boolean proxied(String noProxy, String host, int port) {
    return ProxyEnvironment.proxy(
            Map.of("HTTPS_PROXY", "http://proxy:3128", "NO_PROXY", noProxy), true, host, port)
        != null;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "*|a.example.com",
        "example.com|a.example.com",
        "example.com|example.com",
        "Example.COM | EXAMPLE.com",
        "x, .example.com ,y|a.example.com",
        "*.example.com|a.example.com",
        "10.0.0.0/8|10.1.2.3",
        "10.1.2.3|10.1.2.3",
        "10.1.2.3:443|10.1.2.3",
        "example.com:443|example.com",
        "fd00::/8|fd00::1",
        "fd00::1|fd00:0:0::1",
        "[fd00::1]:443|fd00::1",
        "''|localhost",
        "''|127.0.0.9",
        "''|::1"
      })
  void anExceptedServer_isReachedDirectly(String noProxy, String host) {
    assertThat(proxied(noProxy, host, 443)).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|a.example.com",
        ".example.com|example.com",
        "*.example.com|example.com",
        "example.com|notexample.com",
        "10.0.0.0/8|11.1.2.3",
        "10.0.0.0/8|ten.example.com",
        "10.1.2.3:80|10.1.2.3",
        "example.com:80|example.com",
        "10.0.0.0/99|10.0.0.1",
        ":443|example.com",
        "fd00::/8|10.0.0.1",
        ",,|example.com",
        "*example.com|a.example.com"
      })
  void anyOther_isReachedThroughTheProxy(String noProxy, String host) {
    assertThat(proxied(noProxy, host, 443)).isTrue();
  }

  @Test
  void theVariable_isThatOfTheScheme_inBigOrSmallLetters() {
    Map<String, String> both = Map.of("https_proxy", "a:1", "HTTP_PROXY", "socks5://u:p%40@[::1]");
    assertThat(ProxyEnvironment.proxy(both, true, "h", 1))
        .isEqualTo(new ProxySettings("http", "a", 1, "", ""));
    assertThat(ProxyEnvironment.proxy(both, false, "h", 1))
        .isEqualTo(new ProxySettings("socks5", "::1", 1080, "u", "p@"))
        .hasToString("the proxy socks5://[::1]:1080");
    assertThat(ProxyEnvironment.proxy(Map.of("HTTP_PROXY", "a"), true, "h", 1)).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ftp://u:secret@h", "http://u:secret@", "http://u:secret@h:99999", "%"})
  void aVariableWithoutAProxy_isNamed_andItsPasswordIsNot(String value) {
    assertThatThrownBy(
            () -> ProxyEnvironment.proxy(Map.of("HTTPS_PROXY", value), true, "example.com", 443))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("HTTPS_PROXY")
        .hasMessageNotContaining("secret")
        .hasNoCause();
  }
}
