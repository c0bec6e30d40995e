// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.explain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.testing.SelfSigned;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** An admission webhook that denies everything, served with TLS. */
final class DenyingWebhook implements AutoCloseable {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ResourceType<Unstructured> CONFIGURATIONS =
      ResourceType.unstructured(
          "admissionregistration.k8s.io",
          "v1",
          "validatingwebhookconfigurations",
          "ValidatingWebhookConfiguration",
          false);

  private final String name;
  private final HttpsServer server;
  private final String certificate;

  private DenyingWebhook(String name, HttpsServer server, String certificate) {
    this.name = name;
    this.server = server;
    this.certificate = certificate;
  }

  /** Starts one on a free port, with a key of its own. */
  static DenyingWebhook start(Path folder, String name) throws Exception {
    KeyStore keys =
        SelfSigned.add(folder.resolve("hook.p12"), "hook", "CN=hook", "-ext", "san=ip:127.0.0.1");
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, SelfSigned.PASSWORD.toCharArray());
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(managers.getKeyManagers(), null, null);
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(tls));
    server.createContext(
        "/",
        exchange -> {
          JsonNode review = JSON.readTree(exchange.getRequestBody());
          byte[] answer =
              """
              {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
               "response": {"uid": "%s", "allowed": false, "status": {"message": "on purpose"}}}
              """
                  .formatted(review.at("/request/uid").asText())
                  .getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    server.start();
    String pem =
        "-----BEGIN CERTIFICATE-----\n"
            + Base64.getMimeEncoder().encodeToString(keys.getCertificate("hook").getEncoded())
            + "\n-----END CERTIFICATE-----\n";
    return new DenyingWebhook(
        name, server, Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.UTF_8)));
  }

  /** Has the API server send it the ConfigMaps that are created in a namespace. */
  void guard(Kubernetes kubernetes, String namespace) {
    kubernetes
        .resource(CONFIGURATIONS)
        .create(
            Unstructured.of(
                JsonParser.parseString(
                        """
                        {"apiVersion": "admissionregistration.k8s.io/v1",
                         "kind": "ValidatingWebhookConfiguration", "metadata": {"name": "denying"},
                         "webhooks": [{"name": "%s", "admissionReviewVersions": ["v1"],
                          "sideEffects": "None", "clientConfig": {"url": "%s", "caBundle": "%s"},
                          "namespaceSelector":
                           {"matchLabels": {"kubernetes.io/metadata.name": "%s"}},
                          "rules": [{"apiGroups": [""], "apiVersions": ["v1"],
                           "resources": ["configmaps"], "operations": ["CREATE"]}]}]}
                        """
                            .formatted(
                                name,
                                "https://127.0.0.1:" + server.getAddress().getPort() + "/",
                                certificate,
                                namespace))
                    .getAsJsonObject()));
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
