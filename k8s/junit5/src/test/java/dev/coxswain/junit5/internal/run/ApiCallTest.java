// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import okhttp3.Request;
import okhttp3.RequestBody;
import org.junit.jupiter.api.Test;

/** Two runs in which objects have other generated names make calls of the same shapes. */
class ApiCallTest {

  private static String shape(String method, String path) {
    Request request =
        new Request.Builder()
            .url("http://127.0.0.1" + path)
            .method(method, method.equals("GET") ? null : RequestBody.create(new byte[0]))
            .build();
    return new ApiCall(1, 1, 1, "", request).shape();
  }

  @Test
  void names_areLeftOut_subresourcesAreNot() {
    assertThat(shape("DELETE", "/api/v1/namespaces/a/pods/x-17"))
        .isEqualTo("DELETE /api/v1/namespaces/a/pods");
    assertThat(shape("PATCH", "/api/v1/namespaces/a/pods/x-17/status"))
        .isEqualTo("PATCH /api/v1/namespaces/a/pods/status");
    assertThat(shape("PATCH", "/apis/apps/v1/namespaces/a/deployments/x-17/scale"))
        .isEqualTo("PATCH /apis/apps/v1/namespaces/a/deployments/scale");
    assertThat(shape("GET", "/api/v1/nodes/x-17")).isEqualTo("GET /api/v1/nodes");
    assertThat(shape("POST", "/api/v1/namespaces/a/pods"))
        .isEqualTo("POST /api/v1/namespaces/a/pods");
  }
}
