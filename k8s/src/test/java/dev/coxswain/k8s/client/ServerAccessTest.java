// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Test;

class ServerAccessTest {
  private static final String PATH = "/apis/x.example.dev/v1/namespaces/a/things/b%2Fc%20d:e";

  @Test
  void aRequest_hasTheUrlThatItsWholeTextHas() {
    Map<String, String> query = Map.of("labelSelector", "a in (b,c), d+e=\u00e4&f", "limit", "");
    for (String address :
        List.of(
            "http://127.0.0.1:8001",
            "https://[::1]:443",
            "https://api.example.dev",
            "https://proxy.example.dev/k8s/clusters/c-1",
            "https://b\u00fccher.example")) {
      ServerAccess server = ServerAccess.of(address, new OkHttpClient());
      assertThat(server.get(PATH, Map.of(), Map.of()).url()).isEqualTo(HttpUrl.get(address + PATH));
      HttpUrl url = server.get(PATH, query, Map.of("Accept", "x")).url();
      assertThat(url).isEqualTo(HttpUrl.get(url.toString()));
      assertThat(url.toString()).startsWith(HttpUrl.get(address + PATH).toString() + "?");
      query.forEach((name, value) -> assertThat(url.queryParameter(name)).isEqualTo(value));
    }
  }

  @Test
  void anAddressThatIsNone_failsWithTheRequest() {
    ServerAccess server = ServerAccess.of("nowhere", new OkHttpClient());
    assertThatThrownBy(() -> server.get("/version", Map.of(), Map.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
